const SLICE_MS = 4

/** Goes through long work in slices, so that others get their turn in between. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let since = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - since < SLICE_MS) continue
    await new Promise(resolve => setImmediate(resolve))
    since = performance.now()
  }
}

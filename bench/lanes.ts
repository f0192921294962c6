/** Acts on every item, so many at a time. */
export async function inLanes<T>(items: Iterable<T>, lanes: number, act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items[Symbol.iterator]()
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Those to whom a watch is told. */
export interface Listening<T> {
  told(now: T): void
  error(error: Error): void
}

export interface ListenOptions {
  /** Told when the watch ended without being stopped. Without it that is thrown where nobody catches it. */
  readonly onError?: (error: Error) => void
}

/** What a listener throws is its own affair and must not harm the connection: it goes where nobody catches it. */
export function outside(act: () => void): void {
  try {
    act()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

export function fail(error: Error, onError: ((error: Error) => void) | undefined): void {
  if (!onError) throw error
  onError(error)
}

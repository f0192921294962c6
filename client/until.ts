import type { Board } from './board.ts'

/** Reads how something stands until it is as wanted, again whenever one of these handoffs or the connection has changed. */
export async function until<T>(
  board: Board,
  ids: readonly string[],
  read: () => Promise<T>,
  is: (seen: T) => boolean,
): Promise<T> {
  for (;;) {
    let wake = () => {}
    const heard = new Promise<void>(resolve => {
      wake = resolve
    })
    const stops = ids.flatMap(id => [board.onState(id, () => wake()), board.onExchange(id, () => wake())])
    try {
      const seen = await read()
      if (is(seen)) return seen
      await Promise.race([heard, board.again()])
    } finally {
      for (const stop of stops) stop()
    }
  }
}

import type { Page } from 'playwright-core'

/** What a page noted of itself while it was in use, in milliseconds. */
export interface Noted {
  readonly frames: readonly number[]
  /** Of tasks that kept the page from answering for 50 ms and more. */
  readonly longTasks: readonly number[]
  /** From a click until what it changed was painted. */
  readonly clicks: readonly number[]
}

/** Runs in the page before its own scripts. Plain text, as the bench is built without a DOM. */
export const PROBE = `
  globalThis.probe = { frames: [], longTasks: [], clicks: [] }
  new PerformanceObserver(list => { for (const { duration } of list.getEntries()) probe.longTasks.push(duration) })
    .observe({ type: 'longtask' })
  addEventListener('click', ({ timeStamp }) =>
    requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => probe.clicks.push(performance.now() - timeStamp)
      port2.postMessage(0) }), true)
  let last
  requestAnimationFrame(function frame(at) {
    if (last !== undefined) probe.frames.push(at - last)
    last = at
    requestAnimationFrame(frame)
  })
`

export const forget = (page: Page): Promise<void> =>
  page.evaluate('probe.frames.length = probe.longTasks.length = probe.clicks.length = 0')

export const noted = (page: Page): Promise<Noted> => page.evaluate<Noted>('probe')

/** Milliseconds from opening the page until the brief and so many beliefs stood on it. */
export function untilBriefed(page: Page, beliefs: number): Promise<number> {
  const isThere = `document.querySelector('.brief') && document.querySelectorAll('.belief').length >= ${beliefs}`
  return page.evaluate<number>(`new Promise(resolve => {
    const look = () => (${isThere}) ? resolve(performance.now()) : setTimeout(look)
    look()
  })`)
}

/** Whether a page may talk to the server: one of its own, or of an origin on the list. What is no page names no origin. */
export function isWelcome(origin: string | undefined, host: string | undefined, welcome: ReadonlySet<string>): boolean {
  if (origin === undefined || welcome.has(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

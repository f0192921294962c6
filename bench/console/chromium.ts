import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Nothing but what is asked for: no updates, no synchronisation, no first-run pages. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The browser named by CHROME_PATH, or one that is installed. */
export const findChromium = (): string | undefined =>
  [process.env['CHROME_PATH'] ?? '', ...PLACES].find(path => path !== '' && existsSync(path))

/** The package itself needs no browser, so what drives one is loaded only here. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, args: [...QUIET, ...(isRoot ? ['--no-sandbox'] : [])] })
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Nothing but what a test asks for: no updates, no synchronisation, no first-run pages. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real browser: the one named by CHROME_PATH, one that is installed, or one that Debian's packages install now. */
export function launch(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: find() ?? install(isRoot),
    args: [...QUIET, ...(isRoot ? ['--no-sandbox'] : [])],
  })
}

const find = (): string | undefined =>
  [process.env['CHROME_PATH'] ?? '', ...PLACES].find(path => path !== '' && existsSync(path))

function install(isRoot: boolean): string {
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', 'chromium'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  const found = find()
  if (found === undefined)
    throw new Error('No Chromium. Install it (apt-get install chromium), or set CHROME_PATH to a Chrome or Chromium.')
  return found
}

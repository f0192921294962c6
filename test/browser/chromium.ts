import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { findChromium, launchChromium } from '../../bench/console/chromium.ts'

/** A real browser: one that is there, or one that Debian's packages install now. */
export const launch = (): Promise<Browser> => launchChromium(findChromium() ?? install())

function install(): string {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', 'chromium'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  const found = findChromium()
  if (found === undefined)
    throw new Error('No Chromium. Install it (apt-get install chromium), or set CHROME_PATH to a Chrome or Chromium.')
  return found
}

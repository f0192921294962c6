import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium } from './chromium.ts'

/** Takes a picture of every screen of the console, at the desk of `demo --serve`: `npm run pictures -- DIRECTORY`. */

const MAIN = fileURLToPath(new URL('../../server/cli/main.js', import.meta.url))
const SIZES = { laptop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const
const SCHEMES = ['light', 'dark'] as const
const SETTLE = 700
/** Someone of whom much is known. */
const SOMEONE = 'u_1042'

const directory = resolve(process.argv[2] ?? 'pictures')
mkdirSync(directory, { recursive: true })
const desk = spawn(process.execPath, [MAIN, 'demo', '--serve', '--port', '0', '--beat', '800'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const said: string[] = []
const lines = createInterface(desk.stdout)
const until = (pattern: RegExp) =>
  new Promise<string>(found => {
    const look = (line: string) => {
      const match = pattern.exec(line)
      if (match) found(match[1] ?? line)
    }
    said.forEach(look)
    lines.on('line', look)
  })
lines.on('line', line => said.push(line))

async function take(browser: Browser, link: string): Promise<void> {
  const first = await browser.newPage()
  await first.goto(link)
  await first.getByRole('heading', { name: 'Inbox' }).waitFor()
  const token = await first.evaluate<string>('sessionStorage.getItem("selfsame.token")')
  await first.goto(`${new URL(link).origin}/console/users/${SOMEONE}`)
  await first.getByRole('button', { name: 'Accept' }).click()
  await first.getByRole('button', { name: 'Complete' }).waitFor()
  const kept = await first.evaluate<Record<string, string>>('({ ...localStorage })')
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: size === 'phone' ? 2 : 1 })
      const page = await context.newPage()
      const name = (screen: string) => join(directory, `${screen}-${size}-${colorScheme}.png`)
      await page.goto(`${new URL(link).origin}/console/`)
      await page.getByLabel('Token').waitFor()
      await page.screenshot({ path: name('sign-in') })
      await page.evaluate(`Object.assign(localStorage, ${JSON.stringify(kept)})`)
      await page.evaluate(`sessionStorage.setItem('selfsame.token', ${JSON.stringify(token)})`)
      await screens(page, new URL(link).origin, name)
      await context.close()
    }
}

async function screens(page: Page, origin: string, name: (screen: string) => string): Promise<void> {
  const shoot = async (screen: string) => {
    await page.waitForTimeout(SETTLE)
    await page.screenshot({ path: name(screen) })
  }
  await page.goto(`${origin}/console/`)
  await page.getByRole('button', { name: 'Accept' }).first().waitFor()
  await shoot('inbox')
  await page.goto(`${origin}/console/users/${SOMEONE}`)
  await page.getByText('Why it is here').waitFor()
  await shoot('brief')
  await page.getByRole('button', { name: /Emotion: state/ }).click()
  await page.locator('.chart canvas').waitFor()
  await shoot('evidence')
  await page.getByRole('button', { name: 'Correct' }).click()
  await shoot('correct')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Hand on' }).click()
  await shoot('hand-on')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Work' }).click()
  await shoot('work')
  await page.getByRole('link', { name: 'History' }).click()
  await shoot('history')
  await page.goto(`${origin}/console/users/u_nobody`)
  await shoot('unknown')
}

try {
  const link = await until(/(http:\S+#link=\S+)/)
  await until(new RegExp(`${SOMEONE} waits for a human`))
  const path = findChromium()
  if (path === undefined) throw new Error('No Chromium. Install it, or set CHROME_PATH.')
  const browser = await launchChromium(path)
  await take(browser, link)
  await browser.close()
} finally {
  desk.kill()
}

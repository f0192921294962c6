import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { exactQuantile, Fleet, mean } from '../quality/fleet.ts'
import { Clock, DAY, SECOND } from '../server/support/clock.ts'
import { launch } from './chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
}, 180_000)
afterAll(() => browser?.close())

async function sitDown(fleet: Fleet, role = 'supervisor', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(fleet.agents.world.service.consoleLink('sue', role))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  return page
}

const toHealth = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('heading', { name: 'Health' }).waitFor()
  await page.getByRole('table').waitFor()
}

/** Billing hears one thing that is new, and one that it could have read if so. */
async function repeated(fleet: Fleet, isRepeat: boolean): Promise<void> {
  const { id, user } = await fleet.offer()
  const epoch = await fleet.accept('ben:billing', id)
  const issue = { field: 'need.issue', value: isRepeat ? 'charge' : 'login', basis: 'heard' }
  await (await fleet.agents.caller('ben:billing')).observe(user, issue, {
    field: 'need.order',
    value: 'A1',
    basis: 'heard',
  })
  await fleet.end('ben:billing', id, 'complete', { epoch, result: 1 })
  fleet.of('billing').add('completed')
}

/** Five weeks in which it takes longer and longer, and the last of which is bad. */
async function history(): Promise<Fleet> {
  const fleet = await Fleet.start({ clock: new Clock(Date.now() - 28 * DAY) })
  for (let week = 1; week <= 5; week++) {
    for (let i = 1; i <= 4; i++) await fleet.completed({ after: week * i * SECOND, isGappy: week > 3, tokens: 900 })
    await fleet.passed({ after: week * 2 * SECOND })
    if (week > 1) await repeated(fleet, week % 2 === 0)
    if (week === 5) for (let i = 0; i < 3; i++) await fleet.failed({ after: SECOND })
    if (week === 5) break
    fleet.advance(7 * DAY)
    await fleet.agents.world.restart()
  }
  return fleet
}

const figure = (page: Page, label: string) =>
  page.locator('.figure', { hasText: label }).locator('.large').textContent()

test('[CON-80] the page tells what the driver of the handoffs counted: over all, by target, and over time', async () => {
  const fleet = await history()
  const page = await sitDown(fleet)
  await toHealth(page)
  const ledgers = [...fleet.ledgers.values()]
  const completeness = mean(ledgers.flatMap(ledger => ledger.completeness))
  expect(await figure(page, 'Completeness')).toBe(`${Math.round(completeness * 1_000) / 10} %`)
  const of = (name: string) => ledgers.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
  const ends = of('failed') + of('completed') + of('passed')
  expect(await figure(page, 'Failures')).toBe(`${Math.round((of('failed') / ends) * 1_000) / 10} %`)
  const seconds = Number.parseFloat((await figure(page, 'Offer to accept')) ?? '')
  const exact =
    exactQuantile(
      ledgers.flatMap(({ latencies }) => latencies),
      0.5,
    ) / 1_000
  expect(Math.abs(seconds - exact)).toBeLessThanOrEqual(0.026 * exact + 0.06)
  const billing = await page
    .getByRole('row', { name: /Billing/ })
    .getByRole('cell')
    .allTextContents()
  expect(billing.slice(0, 2)).toEqual([
    String(fleet.of('billing').counts['offered']),
    String(fleet.of('billing').counts['accepted']),
  ])
  expect(await figure(page, 'Repeats')).toBe('25 %')
  const charts = page.getByRole('img')
  await expect.poll(() => charts.count()).toBe(4)
  expect(await charts.nth(1).getAttribute('aria-label')).toContain('of 5')
  expect(await page.locator('.trend canvas').count()).toBe(4)
  await page.getByRole('button', { name: 'Days' }).click()
  await page.getByRole('heading', { name: 'By day' }).waitFor()
}, 120_000)

test('[CON-81] an alert appears by itself when it fires, and is shown as resolved when it is over', async () => {
  const fleet = await Fleet.start({ clock: new Clock(Date.now()) })
  const page = await sitDown(fleet)
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByText('Nothing is wrong.').waitFor()
  await page.getByText('No handoffs in this time.').waitFor()
  for (let i = 0; i < 3; i++) await fleet.failed()
  const row = page.getByRole('listitem').filter({ hasText: '3 handoffs failed in a row.' })
  await row.filter({ hasText: 'warning' }).waitFor()
  await fleet.completed()
  await row.filter({ hasText: 'resolved' }).waitFor()
}, 60_000)

test('[CON-82] it has no accessibility violations and nothing that runs out of the page, on laptop and phone, light and dark', async () => {
  const fleet = await history()
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ])
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await sitDown(fleet, 'supervisor', { viewport, colorScheme })
      await toHealth(page)
      await page.locator('.trend canvas').nth(3).waitFor()
      const shots = process.env['SELFSAME_SHOTS']
      if (shots) await page.screenshot({ path: `${shots}/health-${viewport.width}-${colorScheme}.png`, fullPage: true })
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
}, 120_000)

test('[CON-84] what waits for a person is counted by reason, and all of it is sent on its way again by one answer', async () => {
  const fleet = await Fleet.start({ clock: new Clock(Date.now()), limits: { breakerFailures: 9 } })
  for (let i = 0; i < 2; i++) await fleet.unanswered()
  const page = await sitDown(fleet)
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Nobody answered: 2' }).getByRole('button').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay all' }).click()
  await page.getByText('2 on their way again.').waitFor()
  await expect.poll(async () => (await fleet.agents.get('ben:billing', '/v1/handoffs')).body.offers.length).toBe(2)
  await page.getByText('Waiting for a person').waitFor({ state: 'detached' })
}, 60_000)

test('[CON-83] who may not see it is shown no way there, and told so at its address', async () => {
  const fleet = await Fleet.start({ clock: new Clock(Date.now()) })
  const page = await sitDown(fleet, 'triage')
  expect(await page.getByRole('link', { name: 'Health' }).count()).toBe(0)
  await page.goto(`${fleet.agents.world.url}/console/health`)
  await page.getByText('Only people of the desk see how handoffs go.').waitFor()
}, 60_000)

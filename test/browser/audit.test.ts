import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { start } from '../../server/service.ts'
import { Clock, DAY, MINUTE } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'
import { launch } from './chromium.ts'
import { escalate } from './scene.ts'

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

let browser: Browser
beforeAll(async () => {
  browser = await launch()
}, 180_000)
afterAll(() => browser?.close())

async function sitDown(world: World, agent: string, role: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(world.service.consoleLink(agent, role))
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** A user of whom bots wrote and read two days ago, and one reads today. */
async function past(user: string): Promise<World> {
  const world = await World.start({ clock: new Clock(Date.now() - 2 * DAY) })
  const triage = await world.as('triage-bot', 'triage')
  await triage.observe(user, { field: 'need.issue', value: 'charge' }, { field: 'emotion.state', value: 'angry' })
  const billing = await world.as('billing-bot', 'billing')
  await billing.model(user)
  await billing.get(`/v1/users/${user}/audit`)
  world.clock.advance(2 * DAY)
  await triage.model(user)
  return world
}

const entries = (page: Page) => page.locator('.entry')
const toAudit = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Audit' }).click()
  await entries(page).first().waitFor()
}

test('[CON-41] who signs in as the subject sees their own model, and by day who saw and did what of it', async () => {
  const world = await past('u_own')
  const page = await sitDown(world, 'u_own', 'subject')
  await page.getByRole('button', { name: /Need: issue charge/i }).waitFor()
  expect(await page.getByRole('link', { name: /Inbox|Work|Health/ }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /Start work|Take over/ }).count()).toBe(0)
  await toAudit(page)
  await page.getByRole('heading', { name: 'Who saw and did what of you' }).waitFor()
  const days = page.locator('.audit section.list')
  expect(await days.count()).toBe(2)
  const old = days.nth(1).locator('.entry')
  const read = await old.filter({ hasText: 'billing-bot' }).filter({ hasText: 'saw' }).textContent()
  expect(read).toContain('Need: issue')
  expect(read).not.toContain('Emotion')
  expect(await old.filter({ hasText: 'triage-bot' }).filter({ hasText: 'wrote' }).textContent()).toContain(
    'Emotion: state',
  )
  expect(await old.filter({ hasText: 'was refused' }).textContent()).toContain('audit, forbidden')
  expect(await days.nth(0).locator('.entry').filter({ hasText: 'triage-bot' }).count()).toBe(1)
  await page.reload()
  await entries(page).first().waitFor()
}, 60_000)

test('[CON-42] the audit is chosen by kind and by agent and goes on by pages, by keyboard as well', async () => {
  const world = await World.start({ clock: new Clock(Date.now()) })
  const triage = await world.as('triage-bot', 'triage')
  for (let i = 0; i < 60; i++) await triage.observe('u_long', { field: 'need.issue', value: `issue_${i}` })
  const billing = await world.as('billing-bot', 'billing')
  await billing.observe('u_long', { field: 'billing.plan', value: 'pro' })
  await billing.model('u_long')
  const page = await sitDown(world, 'sue', 'supervisor')
  await page.goto(`${world.url}/console/users/u_long/audit`)
  await page.getByLabel('What').selectOption('write')
  await expect.poll(() => entries(page).filter({ hasText: 'wrote' }).count()).toBe(50)
  await page.getByRole('button', { name: 'More' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => entries(page).count()).toBe(61)
  expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0)
  await page.getByLabel('Who').selectOption('billing-bot')
  await expect.poll(() => entries(page).count()).toBe(1)
  await page.getByLabel('What').focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => entries(page).filter({ hasText: 'saw' }).count()).toBe(1)
  await page.getByLabel('What').selectOption('export')
  await page.getByText('Nobody of those you chose did that').waitFor()
}, 60_000)

test('[CON-43] who may not see the audit is shown no way there and told so; offline it says that it waits, and loads by itself', async () => {
  const world = await past('u_shut')
  const bill = await sitDown(world, 'bill', 'human')
  await bill.goto(`${world.url}/console/users/u_shut/audit`)
  await bill.getByText('Only the user, or a role with the action "audit".').waitFor()
  expect(await bill.getByRole('link', { name: 'Audit' }).count()).toBe(0)
  const sue = await sitDown(world, 'sue', 'supervisor')
  await sue.goto(`${world.url}/console/users/u_shut`)
  await sue.getByRole('button', { name: /Need: issue/ }).waitFor()
  await world.stop()
  await sue.getByText('What you write is kept').waitFor()
  await sue.getByRole('link', { name: 'Audit' }).click()
  await sue.getByText('It is loaded when the connection is back.').waitFor()
  const port = Number(new URL(world.url).port)
  const back = await start({ port, data: world.data, now: world.clock.now })
  onTestFinished(() => back.close())
  await entries(sue).first().waitFor()
}, 60_000)

test('[CON-44] the audit has no accessibility violations and nothing that runs out of the page, on laptop and phone, light and dark', async () => {
  const world = await past('u_wide')
  const { desk } = await escalate(world.service, 'u_wide')
  onTestFinished(() => desk.close())
  world.clock.advance(MINUTE)
  for (const viewport of SCREENS)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [agent, role] of [
        ['u_wide', 'subject'],
        ['sue', 'supervisor'],
      ] as const) {
        const page = await sitDown(world, agent, role, { viewport, colorScheme })
        await page.goto(`${world.url}/console/users/u_wide/audit`)
        await entries(page).first().waitFor()
        await page.locator('.entry summary').first().click()
        await check(page, `audit-${role}-${viewport.width}-${colorScheme}`)
      }
}, 120_000)

test('[CON-45] who may view as a role sees what it would and what is hidden from it, marked as that; others have no such choice', async () => {
  const world = await past('u_as')
  const hal = await sitDown(world, 'hal', 'human')
  await hal.goto(`${world.url}/console/users/u_as`)
  await hal.getByRole('button', { name: /Emotion: state/ }).waitFor()
  expect(await hal.getByLabel('View as').count()).toBe(0)
  for (const viewport of SCREENS)
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await sitDown(world, 'sue', 'supervisor', { viewport, colorScheme })
      await page.goto(`${world.url}/console/users/u_as`)
      await page.getByLabel('View as').selectOption('billing')
      const seen = page.getByRole('region', { name: 'As billing' })
      await seen.getByText('This is what billing sees of the model: 1 of 2.').waitFor()
      expect(await seen.getByRole('listitem').allTextContents()).toEqual([
        expect.stringMatching(/^Need: issuecharge/),
        'Emotion: statehidden',
      ])
      await check(page, `view-as-${viewport.width}-${colorScheme}`)
      await page.getByRole('button', { name: 'Back to your own view' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: /Emotion: state angry/i }).waitFor()
      await check(page, `view-own-${viewport.width}-${colorScheme}`)
    }
  const page = await sitDown(world, 'u_as', 'subject')
  await toAudit(page)
  await entries(page).filter({ hasText: 'what is believed, as billing' }).first().waitFor()
}, 90_000)

async function check(page: Page, name: string): Promise<void> {
  const shots = process.env['SELFSAME_SHOTS']
  if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  expect(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    name,
  ).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), name).toBeLessThanOrEqual(0)
}

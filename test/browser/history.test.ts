import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Desk } from '../../client/index.ts'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'

const data = mkdtempSync(join(tmpdir(), 'selfsame-history-'))
let browser: Browser
let service: Service
let bot: Desk

beforeAll(async () => {
  service = await start({ port: 0, data })
  browser = await launch()
  bot = await connect({ url: service.url, token: await service.token('triage-bot', 'triage') })
}, 180_000)

afterAll(async () => {
  await bot?.close()
  await browser?.close()
  await service?.close()
  rmSync(data, { recursive: true, force: true })
})

/** Someone who was handed on with more to tell than fits. */
async function taken(user: string, agent: string): Promise<Page> {
  const work = await bot.user(user).start({ intent: 'The invoice is wrong again.' })
  await bot.user(user).observe({
    'need.issue': { value: 'wrong_invoice', confidence: 0.9, basis: 'heard' },
    'emotion.state': { value: 'frustrated', confidence: 0.8 },
    'expertise.domains': ['accounting', 'tax', 'auditing', 'payroll', 'leasing'],
    'history.summary': { value: 'Wrote in March and in April about the same invoice, was promised a new one.' },
  })
  for (const month of ['March', 'April', 'May']) await work.note(`The invoice of ${month} has the number of another`)
  await work.handoff({ to: 'human', reason: 'It comes back every month', tokens: 140, refs: ['need.issue'] })
  const page = await (await browser.newContext()).newPage()
  await page.goto(service.consoleLink(agent, 'human'))
  await page.getByRole('button', { name: 'Accept' }).first().click()
  await page.getByText('Why it is here').waitFor()
  return page
}

const open = (page: Page, title: string) =>
  page.locator('details').filter({ hasText: title }).locator('summary').click()

test('[CON-32] the history tells of each hop what the next was told, what was left out and why, and the gaps', async () => {
  const page = await taken('u_told', 'ann')
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('Handed on by triage-bot (triage)').waitFor()
  await page.getByText('It comes back every month').waitFor()
  await page.getByText('Accepted by ann').waitFor()
  await page.getByText(/^Told 100\s% of what was pointed to and needed, in \d+ of 140 tokens \(priority\)\.$/).waitFor()
  await open(page, 'Left out')
  await page
    .getByText(/\(no room\)$/)
    .first()
    .waitFor()
  await open(page, 'Gaps')
  await page.getByText('Identity · verified: missing').waitFor()
  await page.evaluate(axe.source)
  expect(
    await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))`),
  ).toEqual([])
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByLabel('Outcome').fill('A new invoice was sent')
  await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Completed.').waitFor()
  await page.getByText(/^Told 100\s% .* of 140 tokens/).waitFor()
  await page.context().close()
}, 60_000)

test('[CON-33] what is no longer as the holder was shown it is marked, also after loading anew, until it is so again', async () => {
  const page = await taken('u_mark', 'ben')
  const row = page.getByRole('listitem').filter({ hasText: 'Emotion: state' })
  const other = page.getByRole('listitem').filter({ hasText: 'Need: issue' })
  await row.getByText('frustrated').waitFor()
  const person = await connect({ url: service.url, token: await service.token('eve', 'human') })
  await person.user('u_mark').correct('emotion.state', 'calm', { why: 'Said so' })
  await row.getByText('changed', { exact: true }).waitFor()
  await page.reload()
  await row.getByText('calm').waitFor()
  await row.getByText('changed', { exact: true }).waitFor()
  expect(await other.getByText('changed', { exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'History' }).click()
  await open(page, 'Changed since the brief')
  await page.getByText('Emotion · state: frustrated → calm').waitFor()
  await page.getByRole('link', { name: 'Brief' }).click()
  await person.user('u_mark').correct('emotion.state', 'frustrated', { why: 'Called again' })
  await row.getByText('changed', { exact: true }).waitFor({ state: 'detached' })
  await person.close()
  await page.context().close()
}, 60_000)

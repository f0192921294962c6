import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Desk, type Work } from '../../client/index.ts'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'

const MINUTE = 60_000
const data = mkdtempSync(join(tmpdir(), 'selfsame-overlap-'))
let browser: Browser
let service: Service

beforeAll(async () => {
  service = await start({ port: 0, data })
  browser = await launch()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await service?.close()
  rmSync(data, { recursive: true, force: true })
})

async function sitDown(agent: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(service.consoleLink(agent, 'human'))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  return page
}

const deskOf = async (agent: string, role: string): Promise<Desk> =>
  connect({ url: service.url, token: await service.token(agent, role) })

const accepted = (desk: Desk): Promise<Work> =>
  new Promise(resolve => {
    const stop = desk.onOffer(async offer => {
      stop()
      resolve(await offer.accept({ lease: 5 * MINUTE }))
    })
  })

test('[CON-60] A person asks the bot that handed over and sees the answer live, and answers who they handed on to', async () => {
  const [bot, tech] = [await deskOf('triage-bot', 'triage'), await deskOf('tess', 'tech')]
  const work = await bot.user('u_asked').start({ intent: 'It is broken', lease: 5 * MINUTE })
  const handoff = await work.handoff({ to: 'human', reason: 'They want a person', overlap: 5 * MINUTE })
  handoff.onQuestion(({ text }) => `You asked: ${text} It is the red one.`)
  const page = await sitDown('ann')
  await page.getByRole('button', { name: 'Accept' }).first().click()
  await page.getByRole('button', { name: 'Ask triage-bot' }).click()
  await page.getByRole('dialog').getByLabel('Question').fill('Which one?')
  await page.getByRole('dialog').getByRole('button', { name: 'Ask' }).click()
  await page.getByText('You asked: Which one? It is the red one.').waitFor()
  await page.getByRole('button', { name: 'Let triage-bot go' }).click()
  await page.getByRole('button', { name: 'Ask triage-bot' }).waitFor({ state: 'detached' })
  const taking = accepted(tech)
  await page.getByRole('button', { name: 'Hand on' }).click()
  await page.getByLabel('To', { exact: true }).selectOption('tech')
  await page.getByLabel('Why').fill('It is the app')
  await page.getByRole('dialog').getByRole('button', { name: 'Hand on' }).click()
  const taken = await taking
  const answer = taken.ask('Since when?')
  await page.getByText('Since when?').waitFor()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('dialog').getByLabel('Answer').fill('Since Monday')
  await page.getByRole('dialog').getByRole('button', { name: 'Answer' }).click()
  expect(await answer).toBe('Since Monday')
  await page.getByText('Since Monday').waitFor()
  await taken.complete()
  await page.context().close()
  await Promise.all([bot.close(), tech.close()])
}, 90_000)

test('[CON-61] What a person returns is resumed by the agent it came from, from its checkpoint, with what was learned', async () => {
  const bot = await deskOf('triage-bot', 'triage')
  const user = bot.user('u_back')
  await user.observe({ 'need.urgency': 'low' })
  const work = await user.start({ intent: 'It is broken', lease: 5 * MINUTE })
  await work.checkpoint({ state: { step: 3 }, note: 'asked for the order' })
  await work.handoff({ to: 'human', reason: 'They want a person' })
  const page = await sitDown('ann')
  await page.getByRole('button', { name: 'Accept' }).first().click()
  await page.getByRole('button', { name: 'Return' }).waitFor()
  const person = await deskOf('ann', 'human')
  await person.user('u_back').correct('need.urgency', 'high', { why: 'said so' })
  const resumed = accepted(bot)
  await page.getByRole('button', { name: 'Return' }).click()
  await page.getByLabel('What was learned').fill('It is urgent')
  await page.getByLabel('What to do next').fill('Order a new one')
  await page.getByRole('dialog').getByRole('button', { name: 'Return' }).click()
  const back = await resumed
  expect(back.user.id).toBe('u_back')
  expect(back.checkpointed).toMatchObject({ state: { step: 3 } })
  expect(back.delivery.since).toMatchObject([{ field: 'need.urgency', before: 'low', now: 'high' }])
  for (const told of ['It is urgent', 'Order a new one']) expect(back.narrative).toContain(told)
  await back.complete()
  expect((await bot.handoff(back.id).state()).state).toBe('completed')
  await page.context().close()
  await Promise.all([bot.close(), person.close()])
}, 90_000)

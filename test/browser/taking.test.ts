import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'

const data = mkdtempSync(join(tmpdir(), 'selfsame-taking-'))
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

const deskOf = async (agent: string, role: string) =>
  connect({ url: service.url, token: await service.token(agent, role) })

test('[CON-19] Two people take held work over: one gets it, the other is told who, and the agent is stopped', async () => {
  const bot = await deskOf('bot', 'triage')
  const work = await bot.user('u_taken').start({ intent: 'Help me' })
  const pages = await Promise.all(['ann', 'ben'].map(sitDown))
  for (const page of pages) {
    const row = page.getByRole('listitem').filter({ hasText: 'u_taken' })
    await row.getByRole('button', { name: 'Take over' }).click()
    await page.getByRole('dialog').getByText('bot is stopped at once').waitFor()
  }
  await Promise.all(pages.map(page => page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click()))
  await expect.poll(() => pages.filter(page => page.url().endsWith('/users/u_taken')).length).toBe(1)
  const [winner, loser] = pages[0]?.url().endsWith('u_taken') ? ['ann', pages[1]] : ['ben', pages[0]]
  await loser?.getByText(`${winner} (human) was first and has it now.`).waitFor()
  await expect.poll(() => work.isHeld).toBe(false)
  await Promise.all(pages.map(page => page.context().close()))
  await bot.close()
}, 60_000)

test('[CON-20] A person starts work and hands it on, with what must hold', async () => {
  const page = await sitDown('ann')
  const tech = await deskOf('tess', 'tech')
  await page.goto(`${service.url}/console/users/u_new`)
  await page.getByRole('button', { name: 'Start work' }).click()
  await page.getByLabel('own words').fill('It does not start')
  await page.getByLabel('What must hold').fill('Call after noon\nNo remote access')
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await page.getByText('“It does not start”').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Hand on' }).click()
  await page.getByLabel('To', { exact: true }).selectOption('tech')
  await page.getByLabel('Why').fill('It is the app')
  await page.getByLabel('What to do next').fill('Read the log')
  await page.getByLabel('What must hold').fill('Answer in writing')
  const offered = new Promise<Awaited<ReturnType<typeof tech.resume>>>(resolve => {
    tech.onOffer(async offer => resolve(await offer.accept()))
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Hand on' }).click()
  const { delivery } = await offered
  expect(delivery.work.constraints.map(({ text }) => text)).toEqual([
    'Call after noon',
    'No remote access',
    'Answer in writing',
  ])
  expect(delivery.narrative).toContain('Read the log')
  await page.getByText('tess').waitFor()
  await page.context().close()
  await tech.close()
}, 60_000)

test('[CON-20] Completing asks for what is expected, and a result that does not fit is refused with the reason', async () => {
  const bot = await deskOf('bot', 'triage')
  const work = await bot.user('u_form').start({ intent: 'Money back' })
  const handoff = await work.handoff({
    to: 'human',
    reason: 'yours',
    expected: {
      type: 'object',
      properties: {
        amount: { type: 'number', maximum: 100, description: 'In euros' },
        method: { enum: ['card', 'transfer'] },
        informed: { type: 'boolean' },
        note: { type: 'string' },
      },
      required: ['amount', 'method', 'informed'],
    },
  })
  const page = await sitDown('ann')
  await page.getByRole('button', { name: 'Accept' }).first().click()
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('In euros').waitFor()
  await page.getByLabel('Amount').fill('500')
  await page.getByLabel('Method').selectOption('transfer')
  await page.getByLabel('Informed').selectOption('Yes')
  await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('alert').getByText('does not fit what is expected').waitFor()
  await page.getByLabel('Amount').fill('50')
  await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
  expect((await handoff.settled()).state).toBe('completed')
  const [frame] = await bot.user('u_form').frames()
  const reader = await deskOf('reader', 'human')
  const [seen] = await reader.user('u_form').frames()
  expect(frame?.handoff.id).toBe(handoff.id)
  expect(seen?.outcome).toMatchObject({ result: { amount: 50, method: 'transfer', informed: true } })
  await page.context().close()
  await Promise.all([bot.close(), reader.close()])
}, 60_000)

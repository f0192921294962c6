import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'
import { escalate } from './scene.ts'

const data = mkdtempSync(join(tmpdir(), 'selfsame-offline-'))
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

async function arrive(page: Page, agent: string): Promise<Page> {
  await page.goto(service.consoleLink(agent, 'human'))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  return page
}

const kept = (page: Page) =>
  page.evaluate<string[]>(`Object.keys(localStorage).filter(key => key.startsWith('selfsame.outbox.'))`)

test('[CON-31] edits of beliefs and work wait offline, outlive the tab, and are sent once, by who made them', async () => {
  const { desk } = await escalate(service, 'u_away')
  await desk.close()
  const context = await browser.newContext()
  const page = await arrive(await context.newPage(), 'ola')
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Why it is here').waitFor()
  const port = Number(new URL(service.url).port)
  await service.close()
  await page.getByText('Offline.').waitFor()

  await page.getByRole('button', { name: /Emotion: state/ }).click()
  await page.getByRole('button', { name: 'Correct' }).click()
  await page.getByLabel('It is').selectOption('calm')
  await page.getByLabel('Why').fill('We talked')
  await page.getByRole('dialog').getByRole('button', { name: 'Correct' }).click()
  await page.getByText('One edit waits.').waitFor()
  await page.getByRole('link', { name: 'Work' }).click()
  await page.getByRole('button', { name: 'Add to threads' }).click()
  await page.getByLabel('Goal').fill('Written on the train')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 edits wait.').waitFor()
  expect(await kept(page)).toHaveLength(2)
  await page.close()

  service = await start({ port, data })
  const other = await arrive(await context.newPage(), 'uma')
  expect(await kept(other)).toHaveLength(2)
  await other.close()
  const back = await arrive(await context.newPage(), 'ola')
  await expect.poll(() => kept(back)).toEqual([])
  await back.goto(`${service.url}/console/users/u_away/work`)
  await back.getByRole('button', { name: 'Complete' }).waitFor()

  const reader = await connect({ url: service.url, token: await service.token('reader', 'human') })
  const user = reader.user('u_away')
  expect((await user.model()).get('emotion.state')?.value).toBe('calm')
  const words = (await user.explain('emotion.state')).words.filter(({ value }) => value === 'calm')
  expect(words.map(({ agent, why }) => [agent, why])).toEqual([['ola', 'We talked']])
  const threads = (await user.works())
    .flatMap(work => work.threads)
    .filter(({ goal }) => goal === 'Written on the train')
  expect(threads.map(({ by }) => by.agent)).toEqual(['ola'])
  await reader.close()
  await context.close()
}, 90_000)

test('[CON-40] signing out while edits wait asks first, and leaves nothing behind', async () => {
  const { desk } = await escalate(service, 'u_leave')
  await desk.close()
  const page = await arrive(await (await browser.newContext()).newPage(), 'lea')
  await page.goto(`${service.url}/console/users/u_leave`)
  await page.getByRole('button', { name: /Emotion: state/ }).click()
  const port = Number(new URL(service.url).port)
  await service.close()
  await page.getByText('Offline.').waitFor()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByLabel('Why').fill('Not so')
  await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click()
  await page.getByText('One edit waits.').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('One edit waits for the server and would be lost.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
  service = await start({ port, data })
  await page.context().close()
}, 60_000)

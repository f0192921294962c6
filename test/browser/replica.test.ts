import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, start } from '../../server/service.ts'
import { bundle } from './bundle.ts'
import { launch } from './chromium.ts'
import type { AtHand } from './replica-page.ts'
import { Site } from './site.ts'

const data = mkdtempSync(join(tmpdir(), 'selfsame-browser-'))
let browser: Browser
let site: Site
let service: Service

beforeAll(async () => {
  site = await Site.open(await bundle('test/browser/replica-page.ts'))
  service = await start({ port: 0, data, origins: [site.origin] })
  browser = await launch()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await service?.close()
  site?.close()
  rmSync(data, { recursive: true, force: true })
})

async function visit(): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(site.origin)
  await page.waitForFunction(() => 'page' in globalThis)
  return page
}

test('[WEB-10] an unmodified WebsocketProvider in a page syncs by ticket, and what it writes is admitted', async () => {
  const page = await visit()
  const told = await page.evaluate(
    async ({ url, token }) => {
      const { Doc, WebsocketProvider } = Reflect.get(globalThis, 'page') as AtHand
      const asked = await fetch(`${url}/v1/tickets`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
      const { ticket } = (await asked.json()) as { ticket: string }
      const doc = new Doc()
      const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/v1/replica`, 'u_page', doc, {
        protocols: ['selfsame', ticket],
        disableBc: true,
      })
      await new Promise<void>(resolve => provider.on('sync', () => resolve()))
      const receipts = doc.getMap('receipts')
      const receipted = new Promise<void>(resolve => receipts.observe(() => resolve()))
      doc.getMap('outbox').set('o1', { field: 'need.issue', value: 'refund' })
      await receipted
      const words = Object.values(doc.getMap('evidence').toJSON())
      provider.destroy()
      return { receipts: receipts.toJSON(), outbox: doc.getMap('outbox').size, values: words.map(word => word.value) }
    },
    { url: service.url, token: await service.token('web-10', 'triage') },
  )
  expect(told).toEqual({ receipts: { o1: { status: 'admitted' } }, outbox: 0, values: ['refund'] })
  await page.close()
}, 60_000)

test('[WEB-11] a replica in a page outlives the page: what was said offline is admitted when it is opened again', async () => {
  const context = await browser.newContext()
  const token = await service.token('web-11', 'triage')
  const first = await context.newPage()
  await first.goto(site.origin)
  await first.waitForFunction(() => 'page' in globalThis)
  await first.evaluate(
    async ({ url, token }) => {
      const { connect, browserReplica } = Reflect.get(globalThis, 'page') as AtHand
      const desk = await connect({ url, token })
      const replica = await desk.user('u_kept').replica({ keep: browserReplica('u_kept') })
      await replica.observe({ 'need.issue': 'refund' })
      Object.assign(globalThis, { replica })
    },
    { url: service.url, token },
  )
  const port = Number(new URL(service.url).port)
  await service.close()
  const offline = await first.evaluate(async () => {
    const replica = Reflect.get(globalThis, 'replica')
    replica.observe({ 'emotion.state': { value: 'calm', confidence: 0.8 } }).catch(() => undefined)
    await new Promise(resolve => setTimeout(resolve, 300))
    return [replica.get('need.issue')?.value, replica.get('emotion.state')?.pending]
  })
  expect(offline).toEqual(['refund', true])
  await first.close()
  service = await start({ port, data, origins: [site.origin] })
  const second = await context.newPage()
  await second.goto(site.origin)
  await second.waitForFunction(() => 'page' in globalThis)
  const settled = await second.evaluate(
    async ({ url, token }) => {
      const { connect, browserReplica } = Reflect.get(globalThis, 'page') as AtHand
      const desk = await connect({ url, token })
      const outcome = await new Promise(resolve => {
        desk.user('u_kept').replica({ keep: browserReplica('u_kept'), onSettled: resolve })
      })
      const model = await desk.user('u_kept').model()
      await desk.close()
      return [outcome, model.get('emotion.state')?.value]
    },
    { url: service.url, token },
  )
  expect(settled).toMatchObject([{ status: 'admitted' }, 'calm'])
  await context.close()
}, 60_000)

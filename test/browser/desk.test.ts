import { readdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratch, selfsame } from '../server/process/program.ts'
import { launch } from './chromium.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launch()
}, 180_000)

afterAll(() => browser?.close())

test('[CON-18] `demo --serve` is a desk at work: its link opens a console where people wait and things move by themselves', async () => {
  const tmp = scratch()
  const program = selfsame(['demo', '--serve', '--port', '0', '--beat', '300'], { environment: { TMPDIR: tmp } })
  const [, link = ''] = await program.line(/(http:\S+#link=\S+)/)
  await program.line(/waits for a human/)
  const page = await browser.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Accept' }).first().waitFor()
  await page.getByText('Parked: unanswered').first().waitFor({ timeout: 20_000 })
  const seen = () => page.locator('main').textContent()
  const before = await seen()
  await expect.poll(async () => (await seen()) !== before, { timeout: 20_000 }).toBe(true)
  await page.getByRole('button', { name: 'Accept' }).first().click()
  await page.getByText('Why it is here').waitFor()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toMatch(/^u_/)
  await page.close()
  const solved = program.lines.filter(line => line.includes('has solved it')).length
  await program.until(/has solved it/, solved + 2)
  program.signal('SIGINT')
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  expect(program.errors).toBe('')
  expect(readdirSync(tmp)).toEqual([])
}, 90_000)

test('[CON-18] With a folder of its own the desk goes on where it was', async () => {
  const data = scratch()
  const serve = () => selfsame(['demo', '--serve', '--port', '0', '--beat', '100', '--data', data])
  const first = serve()
  await first.until(/waits for a human/, 2)
  first.signal('SIGTERM')
  expect((await first.ended).code).toBe(0)
  const second = serve()
  await second.line(/has solved it/)
  second.signal('SIGTERM')
  expect((await second.ended).code).toBe(0)
  expect(second.errors).toBe('')
}, 60_000)

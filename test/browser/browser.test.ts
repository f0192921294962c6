import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'
import { Site } from './site.ts'

declare global {
  /** The built client, as the site's page has loaded it. */
  var connect: typeof import('../../client/index.ts').connect
}

const data = mkdtempSync(join(tmpdir(), 'selfsame-browser-'))
let browser: Browser
let site: Site
let service: Service

beforeAll(async () => {
  site = await Site.open()
  service = await start({ port: 0, data, origins: [site.origin] })
  browser = await launch()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await service?.close()
  site?.close()
  rmSync(data, { recursive: true, force: true })
})

/** A page and what goes wrong on it. */
async function visit(url: string, size = { width: 1280, height: 800 }): Promise<{ page: Page; troubles: string[] }> {
  const page = await browser.newPage({ viewport: size })
  const troubles: string[] = []
  page.on('pageerror', error => troubles.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') troubles.push(message.text())
  })
  await page.goto(url)
  await page.waitForLoadState('networkidle')
  return { page, troubles }
}

test('[WEB-1] The built client writes, reads and watches from a page of another origin, by ticket', async () => {
  const { page, troubles } = await visit(site.origin)
  const told = await page.evaluate(
    async ({ url, token }) => {
      const desk = await connect({ url, token })
      const user = desk.user('u_web')
      const changed = new Promise(resolve => {
        user.watch(['emotion.*'], ({ beliefs }) => resolve(beliefs['emotion.state']?.value))
      })
      await user.observe({ 'need.issue': 'refund', 'emotion.state': { value: 'calm', confidence: 0.8 } })
      const model = await user.model()
      const seen = [model.get('need.issue')?.value, await changed, await user.context({ tokens: 200 })]
      await desk.close()
      return seen
    },
    { url: service.url, token: await service.token('web-1', 'triage') },
  )
  expect(told).toEqual(['refund', 'calm', expect.stringContaining('need.issue: "refund"')])
  expect(troubles).toEqual([])
  await page.close()
}, 30_000)

test('[WEB-2] A page whose origin is not on the list gets no answer it could read', async () => {
  const foreign = await Site.open()
  const { page } = await visit(foreign.origin)
  const outcome = await page.evaluate(
    async ({ url, token }) => {
      return connect({ url, token, timeout: 2_000 }).then(
        () => 'connected',
        error => String(error.code),
      )
    },
    { url: service.url, token: await service.token('web-2', 'triage') },
  )
  expect(outcome).not.toBe('connected')
  await page.close()
  foreign.close()
}, 30_000)

test.each([
  ['a laptop', 1280],
  ['a phone', 390],
])(
  '[WEB-3] The page of operations shows every path, at the width of %s',
  async (_device, width) => {
    const { page, troubles } = await visit(`${service.url}/docs`, { width, height: 800 })
    await page.locator('summary code', { hasText: '/v1/users/{user}/observations' }).click()
    const openapi = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> }
    const paths = new Set(await page.locator('summary code').allTextContents())
    expect(paths).toEqual(new Set(Object.keys(openapi.paths)))
    expect(await page.locator('details[open] pre').first().textContent()).toContain('"observations"')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(troubles).toEqual([])
    await page.screenshot({ path: join(tmpdir(), `selfsame-docs-${width}.png`), fullPage: false })
    await page.close()
  },
  30_000,
)

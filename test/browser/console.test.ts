import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'
import { escalate } from './scene.ts'

const data = mkdtempSync(join(tmpdir(), 'selfsame-console-'))
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

/** A person in front of a console of their own. */
async function sitDown(agent: string, role = 'human', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  await page.goto(service.consoleLink(agent, role))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  return page
}

const leave = (...pages: Page[]) => Promise.all(pages.map(page => page.context().close()))
const accept = (page: Page) => page.getByRole('button', { name: 'Accept' }).first()
const visit = (page: Page, user: string) => page.goto(`${service.url}/console/users/${user}`)

async function correct(page: Page, label: RegExp, value: string, why: string): Promise<void> {
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('button', { name: 'Correct' }).click()
  await page.getByLabel('It is').selectOption(value)
  await page.getByLabel('Why').fill(why)
  await page.getByRole('dialog').getByRole('button', { name: 'Correct' }).click()
}

test('[CON-1] The link signs in once and leaves nothing secret in address or history', async () => {
  const link = service.consoleLink('ann', 'human')
  const page = await (await browser.newContext()).newPage()
  await page.goto(link)
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  expect(page.url()).toBe(`${service.url}/console/`)
  expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
  await page.reload()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  const other = await (await browser.newContext()).newPage()
  await other.goto(link)
  await other.getByRole('alert').waitFor()
  expect(await other.getByRole('alert').textContent()).toContain('This link was used')
  await leave(page, other)
}, 60_000)

test('[CON-2] Two people race to accept: one gets the user, the other is told who has it', async () => {
  const { desk } = await escalate(service, 'u_race')
  const [ann, ben] = await Promise.all([sitDown('ann'), sitDown('ben')])
  await Promise.all([accept(ann).waitFor(), accept(ben).waitFor()])
  await Promise.all([accept(ann).click(), accept(ben).click()])
  await expect.poll(() => [ann, ben].filter(page => page.url().endsWith('/users/u_race')).length).toBe(1)
  const [winner, loser] = ann.url().endsWith('u_race') ? ['ann', ben] : ['ben', ann]
  await loser.getByText(`${winner} (human) was first and has it now.`).waitFor()
  await leave(ann, ben)
  await desk.close()
}, 60_000)

test('[CON-3] A correction in one browser appears in another and in an agent', async () => {
  const { desk } = await escalate(service, 'u_seen')
  const [ann, ben] = await Promise.all([sitDown('ann'), sitDown('ben')])
  await Promise.all([visit(ann, 'u_seen'), visit(ben, 'u_seen')])
  await ben.getByRole('button', { name: /Emotion: state/ }).waitFor()
  const heard = new Promise(resolve => {
    desk.user('u_seen').watch(['emotion.state'], ({ beliefs }) => {
      if (beliefs['emotion.state']?.value === 'calm') resolve('calm')
    })
  })
  await correct(ann, /Emotion: state/, 'calm', 'We talked')
  await ben.getByRole('button', { name: /Emotion: state calm/i }).waitFor()
  expect(await heard).toBe('calm')
  await leave(ann, ben)
  await desk.close()
}, 60_000)

test.each([
  ['a laptop in the light', 'light', { width: 1280, height: 800 }],
  ['a laptop in the dark', 'dark', { width: 1280, height: 800 }],
  ['a phone in the light', 'light', { width: 390, height: 844 }],
  ['a phone in the dark', 'dark', { width: 390, height: 844 }],
] as const)(
  '[CON-4] No screen has a finding of axe or is too wide: %s',
  async (_name, colorScheme, viewport) => {
    const user = `u_${colorScheme}_${viewport.width}`
    const { desk } = await escalate(service, user)
    const out = await (await browser.newContext({ viewport, colorScheme })).newPage()
    await out.goto(`${service.url}/console/`)
    await out.getByLabel('Token').waitFor()
    await inspect(out, `sign-in-${colorScheme}-${viewport.width}`)
    const page = await sitDown(`eve-${viewport.width}-${colorScheme}`, 'human', { viewport, colorScheme })
    await accept(page).waitFor()
    await inspect(page, `inbox-${colorScheme}-${viewport.width}`)
    await accept(page).click()
    await page.getByText('Why it is here').waitFor()
    await inspect(page, `brief-${colorScheme}-${viewport.width}`)
    await page.getByRole('button', { name: /^Level/ }).click()
    await page.locator('.chart canvas').waitFor()
    await inspect(page, `evidence-${colorScheme}-${viewport.width}`)
    await page.getByRole('button', { name: 'Correct' }).click()
    await inspect(page, `correct-${colorScheme}-${viewport.width}`)
    await page.keyboard.press('Escape')
    for (const tab of ['Work', 'History']) {
      await page.getByRole('link', { name: tab }).click()
      await page.locator('.card').first().waitFor()
      await inspect(page, `${tab.toLowerCase()}-${colorScheme}-${viewport.width}`)
    }
    await leave(page, out)
    await desk.close()
  },
  120_000,
)

async function inspect(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(tmpdir(), `selfsame-console-${name}.png`), fullPage: name.startsWith('evidence') })
  await page.evaluate(axe.source)
  const found = await page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )
  expect(found).toEqual([])
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect(width, name).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)
}

/** Tab until what has the focus is called so. */
async function reach(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press('Tab')
    const text = await page.evaluate<string>(
      `document.activeElement.getAttribute('aria-label') || document.activeElement.textContent || ''`,
    )
    if (name.test(text)) return
  }
  throw new Error(`${name} is out of reach of the keyboard.`)
}

test('[CON-5] The keyboard alone completes accept, correct and return', async () => {
  const { desk } = await escalate(service, 'u_keys')
  const page = await sitDown('kim')
  await accept(page).waitFor()
  while ((await page.getByRole('button', { name: 'Accept' }).count()) > 0) {
    await reach(page, /^Accept$/)
    await page.keyboard.press('Enter')
    await page.getByText('Why it is here').waitFor()
    if (page.url().endsWith('u_keys')) break
    await page.goBack()
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  }
  await reach(page, /Emotion: state/)
  await page.keyboard.press('Enter')
  await reach(page, /^Correct$/)
  await page.keyboard.press('Enter')
  await page.getByLabel('It is').waitFor()
  await page.keyboard.type('calm')
  await page.keyboard.press('Tab')
  await page.keyboard.type('We talked')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Corrected.').waitFor()
  await reach(page, /^Return$/)
  await page.keyboard.press('Enter')
  await page.getByText(/Learned: .*State: calm/).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Returned.').waitFor()
  await leave(page)
  await desk.close()
}, 60_000)

test('[CON-6] A revoked token closes the view within 5 seconds', async () => {
  const { desk } = await escalate(service, 'u_gone')
  const page = await sitDown('out')
  await visit(page, 'u_gone')
  await page.getByText('charged three times').waitFor()
  const token = await service.token('boss', 'supervisor')
  const headers = { authorization: `Bearer ${token}` }
  const body = JSON.stringify({ agent: 'out' })
  await fetch(`${service.url}/v1/revocations`, { method: 'POST', headers, body })
  await page.getByText('has expired or was revoked').waitFor({ timeout: 5_000 })
  expect(await page.content()).not.toContain('charged three times')
  expect(await page.evaluate('sessionStorage.getItem("selfsame.token")')).toBeNull()
  await leave(page)
  await desk.close()
}, 60_000)

test('[CON-7] What a role may not read is in no page, storage or message', async () => {
  const { desk } = await escalate(service, 'u_part')
  const context = await browser.newContext()
  const page = await context.newPage()
  const frames: string[] = []
  page.on('websocket', socket => socket.on('framereceived', ({ payload }) => frames.push(String(payload))))
  await page.goto(service.consoleLink('bill', 'billing'))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await visit(page, 'u_part')
  await page.getByRole('button', { name: /^Plan/ }).waitFor()
  const stored = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
  const everything = [await page.content(), stored, ...frames].join('\n')
  expect(everything).toContain('disputed')
  expect(everything).not.toContain('frustrated')
  expect(everything).not.toContain('churn_risk')
  await leave(page)
  await desk.close()
}, 60_000)

test('[CON-8] What is written offline waits, says so, and is in effect when the server is back', async () => {
  const { desk } = await escalate(service, 'u_off')
  await desk.close()
  const page = await sitDown('off')
  await visit(page, 'u_off')
  await page.getByRole('button', { name: /Emotion: state/ }).waitFor()
  const port = Number(new URL(service.url).port)
  await service.close()
  await page.getByText('Offline.').waitFor()
  await correct(page, /Emotion: state/, 'calm', 'We talked')
  await page.getByText('Kept. It is sent when the connection is back.').waitFor()
  service = await start({ port, data })
  await page.getByText('Corrected.').waitFor({ timeout: 30_000 })
  const reader = await connect({ url: service.url, token: await service.token('reader', 'human') })
  expect((await reader.user('u_off').model()).get('emotion.state')?.value).toBe('calm')
  await reader.close()
  await leave(page)
}, 90_000)

test('[CON-9] The policy allows its own scripts and styles only, and frames as told', async () => {
  const page = await fetch(`${service.url}/console/users/u_1`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  const html = await page.text()
  const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? ''
  const asset = await fetch(service.url + script)
  expect(asset.headers.get('cache-control')).toContain('immutable')
  const built = fileURLToPath(new URL('../../dist/console/assets/', import.meta.url))
  const scripts = readdirSync(built).filter(name => name.endsWith('.js'))
  expect(scripts.map(name => `/console/assets/${name}`)).toContain(script)
  const weight = scripts.map(name => gzipSync(readFileSync(join(built, name))).length)
  expect(weight.reduce((all, each) => all + each)).toBeLessThanOrEqual(120 * 1024)
  expect((await fetch(`${service.url}/console/assets/none.js`)).status).toBe(404)
  const place = mkdtempSync(join(tmpdir(), 'selfsame-framed-'))
  const framed = await start({ port: 0, data: place, frameAncestors: ['https://desk.example'] })
  const answer = await fetch(`${framed.url}/console/`)
  expect(answer.headers.get('content-security-policy')).toContain('frame-ancestors https://desk.example')
  await framed.close()
  rmSync(place, { recursive: true, force: true })
}, 30_000)

test('[CON-10] The course of a belief is at every moment what was believed then', async () => {
  const place = mkdtempSync(join(tmpdir(), 'selfsame-course-'))
  let now = Date.now()
  const own = await start({ port: 0, data: place, now: () => now })
  const headers = async (agent: string, role: string) => ({
    authorization: `Bearer ${await own.token(agent, role)}`,
  })
  const bot = await headers('bot', 'triage')
  const person = await headers('ann', 'human')
  const url = `${own.url}/v1/users/u_course`
  const read = async () => {
    const answer = await (await fetch(`${url}/model?fields=emotion.state`, { headers: bot })).json()
    const { value = null, confidence = 0 } = Object(Object(answer).beliefs)['emotion.state'] ?? {}
    return { at: now, value, confidence }
  }
  const say = (path: string, who: typeof bot, body: object) =>
    fetch(url + path, { method: 'POST', headers: who, body: JSON.stringify(body) })
  const angry = { field: 'emotion.state', value: 'angry', confidence: 0.8 }
  const then = []
  await say('/observations', bot, { observations: [angry] })
  then.push(await read())
  now += 3_600_000
  await say('/corrections', person, { corrections: [{ field: 'emotion.state', value: 'calm' }] })
  then.push(await read())
  now += 1_800_000
  await say('/retractions', person, { field: 'emotion.state', agent: 'ann' })
  then.push(await read())
  const answer = await (await fetch(`${url}/evidence?field=emotion.state&course=true`, { headers: bot })).json()
  const course: { at: number; value: unknown; confidence: number }[] = Object(answer).course
  for (const seen of then) {
    const moment = course.find(({ at }) => at === seen.at)
    expect(moment?.value).toEqual(seen.value)
    expect(moment?.confidence).toBeCloseTo(seen.confidence, 9)
  }
  await own.close()
  rmSync(place, { recursive: true, force: true })
}, 30_000)

test('[CON-11] What is parked is taken over by a person, who then holds it', async () => {
  const { desk } = await escalate(service, 'u_parked', 400)
  const page = await sitDown('pat')
  const row = page.getByRole('listitem').filter({ hasText: 'u_parked' }).filter({ hasText: 'Parked: expired' })
  await row.getByRole('button', { name: 'Take over' }).click()
  await page.getByText('Why it is here').waitFor()
  await page.getByText('With you (human)').waitFor()
  await page.getByRole('button', { name: 'Complete' }).waitFor()
  await leave(page)
  await desk.close()
}, 60_000)

test('[CON-12] The holder edits the work, and loading the page anew keeps it held', async () => {
  const { desk } = await escalate(service, 'u_work', 400)
  const page = await sitDown('wil')
  const row = page.getByRole('listitem').filter({ hasText: 'u_work' }).filter({ hasText: 'Parked' })
  await row.getByRole('button', { name: 'Take over' }).click()
  await page.getByRole('link', { name: 'Work' }).click()
  await page.getByRole('button', { name: 'Add to threads' }).click()
  await page.getByLabel('Goal').fill('Send it in writing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Send it in writing').waitFor()
  await page.reload()
  const thread = page.getByRole('listitem').filter({ hasText: 'Send it in writing' })
  await thread.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await thread.getByText('done', { exact: true }).waitFor()
  await leave(page)
  await desk.close()
}, 60_000)

test('[CON-17] Inbox and work are live without being asked for again', async () => {
  const { desk } = await escalate(service, 'u_live')
  const [ann, ben] = await Promise.all([sitDown('ann'), sitDown('ben')])
  const asked: string[] = []
  ben.on('websocket', socket => socket.on('framesent', ({ payload }) => asked.push(String(payload))))
  await ben.reload()
  await accept(ben).waitFor()
  asked.length = 0
  const offers = await ben.getByRole('button', { name: 'Accept' }).count()
  const row = ann.getByRole('listitem').filter({ hasText: 'triage-bot' }).first()
  await row.getByRole('button', { name: 'Accept' }).click()
  await ann.getByText('Why it is here').waitFor()
  await expect.poll(() => ben.getByRole('button', { name: 'Accept' }).count()).toBe(offers - 1)
  expect(asked.filter(text => text.includes('"handoffs"'))).toEqual([])
  await visit(ben, new URL(ann.url()).pathname.split('/').at(-1) ?? '')
  await ben.getByRole('link', { name: 'Work' }).click()
  await ann.getByRole('link', { name: 'Work' }).click()
  await ann.getByRole('button', { name: 'Add to environment' }).click()
  await ann.getByLabel('What').fill('The phone line is bad')
  asked.length = 0
  await ann.getByRole('button', { name: 'Save' }).click()
  await ben.getByText('The phone line is bad').waitFor()
  expect(asked.filter(text => !text.includes('unwatch'))).toEqual([])
  await leave(ann, ben)
  await desk.close()
}, 60_000)

test('[CON-13] Confirming, denying and taking back are in effect at once', async () => {
  const { desk } = await escalate(service, 'u_say')
  const page = await sitDown('sam')
  await visit(page, 'u_say')
  const say = async (field: RegExp, button: string | RegExp, action: string) => {
    await page.getByRole('button', { name: field }).click()
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').getByRole('textbox').fill('Checked it')
    await page.getByRole('dialog').getByRole('button', { name: action }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await say(/Need: urgency/, 'Confirm', 'Confirm')
  await say(/Emotion: state/, 'Deny', 'Deny')
  await say(/^Level/, 'Take back what tech-bot said', 'Take back')
  await page.getByRole('button', { name: /Emotion: state — not frustrated/ }).waitFor()
  const reader = await connect({ url: service.url, token: await service.token('reader', 'human') })
  const user = reader.user('u_say')
  const model = await user.model()
  expect(model.get('emotion.state')).toMatchObject({ value: null, denied: ['frustrated'] })
  expect(model.get('expertise.level')).toMatchObject({ value: 'high', contested: false })
  const confirmed = (await user.explain('need.urgency')).words.find(({ agent }) => agent === 'sam')
  expect(confirmed).toMatchObject({ value: 'high', standing: 'counted', why: 'Checked it' })
  await reader.close()
  await leave(page)
  await desk.close()
}, 60_000)

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, start } from '../../server/service.ts'
import { launch } from './chromium.ts'

const data = mkdtempSync(join(tmpdir(), 'selfsame-signed-'))
const file = join(data, 'link.secret')
let service: Service
let secret: Uint8Array

beforeAll(async () => {
  service = await start({ port: 0, data, linkSecretFile: file })
  secret = Buffer.from(readFileSync(file, 'utf8'), 'hex')
})

afterAll(async () => {
  await service?.close()
  rmSync(data, { recursive: true, force: true })
})

const now = () => Math.floor(Date.now() / 1_000)
let count = 0

/** As a help desk would sign it, but for what is said otherwise. */
function sign(other: JWTPayload = {}, by = secret): Promise<string> {
  count += 1
  const usual = { sub: 'ann', role: 'human', aud: 'selfsame-link', jti: `link-${count}`, iat: now(), exp: now() + 120 }
  return new SignJWT({ ...usual, ...other }).setProtectedHeader({ alg: 'HS256' }).sign(by)
}

const redeem = async (code: string) => {
  const answer = await fetch(`${service.url}/v1/links`, { method: 'POST', body: JSON.stringify({ code }) })
  return { status: answer.status, body: Object(await answer.json()) }
}

test('[CON-35] a link that a help desk has signed opens the page of a user once, and leaves nothing secret', async () => {
  const browser = await launch()
  const code = await sign()
  const page = await (await browser.newContext()).newPage()
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await page.goto(`${service.url}/console/users/u_7#link=${code}`)
  await page.getByText('Nothing is known yet').waitFor()
  expect(page.url()).toBe(`${service.url}/console/users/u_7`)
  expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
  expect(asked.map(url => url.split('#')[0]).join()).not.toContain(code)
  const stored = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
  expect(stored).not.toContain(code)
  const other = await (await browser.newContext()).newPage()
  await other.goto(`${service.url}/console/users/u_7#link=${code}`)
  expect(await other.getByRole('alert').textContent()).toContain('This link was used or is too old')
  await browser.close()
}, 60_000)

test('[CON-35] of many who use one at once, one is signed in', async () => {
  const code = await sign()
  const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('[CON-36] only what is short, new, signed by its own secret and for people signs anyone in; a link is no token', async () => {
  const token = await service.token('ann', 'human')
  const refused = {
    'another secret': await sign({}, new Uint8Array(32).fill(7)),
    'no signature': `${(await sign()).split('.').slice(0, 2).join('.')}.`,
    'another audience': await sign({ aud: 'someone-else' }),
    'ends too late': await sign({ exp: now() + 3_600 }),
    'has ended': await sign({ iat: now() - 100, exp: now() - 50 }),
    'made before this start': await sign({ iat: now() - 600 }),
    'a role of agents': await sign({ role: 'triage' }),
    'no such role': await sign({ role: 'emperor' }),
    'no id': await sign({ jti: '' }),
    'a name that is none': await sign({ sub: 'ann\n' }),
    'a token of the API': token,
  }
  for (const [why, code] of Object.entries(refused))
    expect(await redeem(code), why).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
  const headers = { authorization: `Bearer ${await sign()}` }
  expect((await fetch(`${service.url}/v1/schema`, { headers })).status).toBe(401)
})

test('[CON-36] after a restart no link of before can be used again, and without a secret none is taken', async () => {
  const place = mkdtempSync(join(tmpdir(), 'selfsame-signed-'))
  let at = Date.now()
  const options = { port: 0, data: place, now: () => at }
  const first = await start({ ...options, linkSecretFile: join(place, 'link.secret') })
  const by = Buffer.from(readFileSync(join(place, 'link.secret'), 'utf8'), 'hex')
  const code = await sign({}, by)
  const use = (service: Service) =>
    fetch(`${service.url}/v1/links`, { method: 'POST', body: JSON.stringify({ code }) }).then(({ status }) => status)
  expect(await use(first)).toBe(200)
  await first.close()
  at += 5_000
  const second = await start({ ...options, linkSecretFile: join(place, 'link.secret') })
  expect(await use(second)).toBe(401)
  await second.close()
  const third = await start(options)
  expect(await use(third)).toBe(401)
  await third.close()
  rmSync(place, { recursive: true, force: true })
})

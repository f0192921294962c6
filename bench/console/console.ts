import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { connect, type Desk } from '../../client/index.ts'
import { randomFrom } from '../random.ts'
import { atMost, compared, type Outcome, UsageError } from '../report.ts'
import { BenchServer } from '../server.ts'
import { quantile, sorted } from '../timing.ts'
import { findChromium, launchChromium } from './chromium.ts'
import { forget, type Noted, noted, PROBE, untilBriefed } from './probe.ts'

const BELIEFS = 847
const PER_SECOND = 50
const USER = 'u_1'
const VALUES = ['never', 'seldom', 'often', 'always']
const FIELDS = Array.from({ length: BELIEFS }, (_, i) => `profile.area${i % 40}.habit${i}`)
const FRAME_MS = 1_000 / 60
/** Three frames, as they are measured: what is later than that is seen as a jerk. */
const SMOOTH_MS = 3.5 * FRAME_MS
/** What people take as being at once (web.dev/articles/inp). */
const AT_ONCE_MS = 200

const definition = {
  fields: { 'profile.*.*': { kind: 'choice', values: VALUES, halfLife: '14d' } },
  roles: {
    writer: { reach: 'all', read: ['**'], write: ['**'], handsTo: ['person'] },
    person: { reach: 'all', authority: 'human', read: ['**'], write: ['**'] },
  },
}

/** A person's page of a user with many beliefs while agents keep changing them: does it stay smooth to use? */
export async function consoleBench(quick: boolean): Promise<Outcome> {
  const chromium = findChromium()
  if (chromium === undefined) throw new UsageError('This bench needs Chromium. Install it, or set CHROME_PATH.')
  const server = new BenchServer(definition)
  await server.start()
  const desk = await connect({ url: server.url, token: await server.token('writer', 'writer') })
  const browser = await launchChromium(chromium)
  try {
    await fill(desk)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.addInitScript(PROBE)
    await page.addInitScript(`sessionStorage.setItem('selfsame.token', '${await server.token('ann', 'person')}')`)
    await page.goto(`${server.url}/console/users/${USER}`)
    const briefed = await untilBriefed(page, BELIEFS)
    await pause(1_000)
    await forget(page)
    const seconds = quick ? 4 : 20
    const [written] = await Promise.all([write(desk, seconds), click(page, seconds)])
    const figures = await noted(page)
    await requireShown(page, desk)
    return report(briefed, figures, written / seconds)
  } finally {
    await browser.close()
    await desk.close()
    await server.stop()
    server.remove()
  }
}

async function fill(desk: Desk): Promise<void> {
  const user = desk.user(USER)
  for (let from = 0; from < BELIEFS; from += 200)
    await user.observe(FIELDS.slice(from, from + 200).map((field, i) => ({ field, value: VALUES[i % 4] ?? 'never' })))
  const work = await user.start({ intent: { words: 'Everything changed at once.', goal: 'To be understood' } })
  await work.handoff({ to: 'person', reason: 'A person has to look', next: 'Look' })
}

/** Answers with how many were written. */
async function write(desk: Desk, seconds: number): Promise<number> {
  const random = randomFrom(BELIEFS)
  const user = desk.user(USER)
  const began = performance.now()
  let written = 0
  while (performance.now() - began < seconds * 1_000) {
    const field = FIELDS[Math.floor(random() * BELIEFS)] ?? ''
    const value = VALUES[Math.floor(random() * 4)] ?? 'never'
    await user.observe([{ field, value, basis: 'seen' }], { interaction: `chat-${written}` })
    written += 1
    await pause(Math.max(0, began + (1_000 * written) / PER_SECOND - performance.now()))
  }
  return written
}

/** Opens and closes what is believed, all over the page. */
async function click(page: Page, seconds: number): Promise<void> {
  const rows = page.locator('.belief > button')
  const until = performance.now() + seconds * 1_000
  for (let turn = 0; performance.now() < until; turn++) {
    await rows.nth((turn * 97) % BELIEFS).evaluate('row => { row.scrollIntoView({ block: "center" }) }')
    await rows.nth((turn * 97) % BELIEFS).click({ force: true })
    await pause(250)
  }
}

/** The figures count only if the page shows what is believed. */
async function requireShown(page: Page, desk: Desk): Promise<void> {
  await pause(1_000)
  const model = await desk.user(USER).model()
  const believed = FIELDS.map(field => String(model.get(field)?.value)).sort()
  const shown = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.belief .value')].map(each => each.firstChild.textContent)`,
  )
  if (JSON.stringify(shown.sort()) !== JSON.stringify(believed))
    throw new Error(`The page shows ${shown.length} values, and not those of the ${believed.length} beliefs there are.`)
}

function report(briefed: number, { frames, longTasks, clicks }: Noted, rate: number): Outcome {
  const name = `${BELIEFS} beliefs, ${rate.toFixed(0)} updates/s`
  const row = (metric: string, ours: number, peer: string, theirs: number) =>
    compared({ case: name, metric, ours, peer, theirs })
  const [p50, p99] = [0.5, 0.99].map(share => quantile(sorted(frames), share)) as [number, number]
  const answered = quantile(sorted(clicks), 0.99)
  return {
    rows: [
      row('frame p50, ms', p50, 'a frame of 60 Hz', FRAME_MS),
      row('frame p99, ms', p99, 'a frame of 60 Hz', FRAME_MS),
      row('longest task, ms', Math.max(0, ...longTasks), 'a long task', 50),
      row('long tasks', longTasks.length, 'clicks', clicks.length),
      row('click to paint p50, ms', quantile(sorted(clicks), 0.5), 'at once', AT_ONCE_MS),
      row('click to paint p99, ms', answered, 'at once', AT_ONCE_MS),
      row('first brief, ms', briefed, 'a second', 1_000),
    ],
    requirements: [
      atMost(`${name}: frame p99, ms`, p99, SMOOTH_MS),
      atMost(`${name}: click to paint p99, ms`, answered, AT_ONCE_MS),
      atMost(`${name}: first brief, ms`, briefed, 2_000),
    ],
  }
}

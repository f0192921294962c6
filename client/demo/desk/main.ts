import { desk as model } from '../../../model/sample/desk.ts'
import { connect, SelfsameError } from '../../index.ts'
import { CHARGES } from './charges.ts'
import { type DemoDesk, help, receive, type Setting, solve, step } from './colleague.ts'
import { FAULTS } from './faults.ts'
import type { Story } from './story.ts'

/** A desk at work until it is stopped. Run by `selfsame demo --serve`, which serves the store for it. */

const STORIES: readonly Story[] = CHARGES.flatMap((story, i) => [story, FAULTS[i]]).filter(story => story !== undefined)
/** As many wait for a person before another one of the desk helps. */
const WAITING = 3
/** Users that agents work on at one time, besides those that wait for a person. */
const BUSY = 4
const LISTED_WITHIN = 2_000

interface Cast {
  readonly url: string
  readonly beat: number
  readonly tokens: Readonly<Record<string, string>>
}

const { url, beat, tokens }: Cast = JSON.parse(process.env['DEMO_DESK'] ?? 'null') ?? missing()

function missing(): never {
  throw new Error('Run this as `selfsame demo --serve`, or as `npm run demo -- --serve` in a checkout.')
}

// Without its server there is nothing to do here.
process.once('disconnect', () => process.exit())

const setting: Setting = {
  beat,
  stories: new Map(STORIES.map(story => [story.user, story])),
  say: text => console.log(`  ${new Date().toISOString().slice(11, 19)}  ${text}`),
}

const join = (agent: string): Promise<DemoDesk> => connect({ url, token: tokens[agent] ?? missing(), model })

/** What a race was lost to, or what a person took over meanwhile, is no trouble. */
function tolerate(error: unknown): void {
  if (!(error instanceof SelfsameError)) throw error
}

const ana = await join('triage-ana')
const tim = await join('triage-tim')
const bea = await join('billing-bea')
const tess = await join('tech-tess')
const lee = await join('lee')
for (const desk of [ana, tim, bea, tess]) desk.onOffer(offer => solve(desk, offer, setting).catch(tolerate))

const isPerson = (role: string | undefined): boolean => role === 'human' || role === 'supervisor'

/** Users that are being worked on, by whether they wait for a person; and those whom this process has just begun with. */
const open = new Map<string, boolean>()
const begun = new Set<string>()
let waiting: Parameters<typeof help>[1][] = []
await new Promise<void>(listed => {
  lee.watchHandoffs(({ offers, handoffs }) => {
    waiting = offers.filter(offer => offer.from?.role !== 'human')
    open.clear()
    for (const { user, state, to, holder } of handoffs)
      if (user !== undefined) open.set(user, state === 'parked' || isPerson((holder ?? to)?.role))
    listed()
  })
})

const isFree = ({ user }: Story): boolean => !open.has(user) && !begun.has(user)

/** It is listed a moment after it has begun. */
async function begin(story: Story, desk: DemoDesk, at: Setting): Promise<void> {
  begun.add(story.user)
  await receive(desk, story, at).catch(tolerate)
  setTimeout(() => begun.delete(story.user), LISTED_WITHIN)
}

/** The first of those whom nobody works on, beginning with others each time. */
function next(turn: number): Story | undefined {
  const turned = [...STORIES.slice(turn % STORIES.length), ...STORIES.slice(0, turn % STORIES.length)]
  return turned.find(isFree)
}

/** The mood of someone who waits changes. */
async function wait(turn: number): Promise<void> {
  const story = STORIES[turn % STORIES.length]
  const mood = story?.moods[Math.floor(Math.random() * story.moods.length)]
  if (!story || mood === undefined || !open.has(story.user)) return
  const confidence = 0.6 + Math.random() * 0.3
  await ana.user(story.user).observe({ 'emotion.state': { value: mood, confidence } }, { interaction: `chat-${turn}` })
}

// A desk that has been at work for a while, at once.
const opening: Setting = { ...setting, beat: 0 }
for (const story of STORIES.filter(isFree).slice(0, BUSY + 1)) await begin(story, tim, opening)

for (let turn = 0; ; turn++) {
  const busy = [...open].filter(([, isWaiting]) => !isWaiting).length
  const story = busy < BUSY ? next(turn) : undefined
  if (story) begin(story, turn % 2 === 0 ? ana : tim, setting)
  const escalated = waiting.length > WAITING ? waiting.at(-1) : undefined
  if (escalated) help(lee, escalated, setting).catch(tolerate)
  await wait(turn).catch(tolerate)
  await step(setting)
}

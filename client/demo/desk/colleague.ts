import { setTimeout as pause } from 'node:timers/promises'
import type { desk as model } from '../../../model/sample/desk.ts'
import { type Desk, type Offer, SelfsameError, type Work } from '../../index.ts'
import type { Story } from './story.ts'

type Model = (typeof model)['definition']
export type DemoDesk = Desk<Model>
export type DemoWork = Work<Model>

const HOUR = 3_600_000
const AN_HOUR_TO_ANSWER = HOUR

/** How fast the desk lives, and what it tells of it. */
export interface Setting {
  /** Milliseconds that a step of work takes, more or less. */
  readonly beat: number
  readonly stories: ReadonlyMap<string, Story>
  say(text: string): void
}

/** A step of work takes half a beat to one and a half. */
export const step = ({ beat }: Setting): Promise<void> => pause(beat * (0.5 + Math.random()))

/** First contact: listens, makes a plan and hands on. */
export async function receive(desk: DemoDesk, story: Story, setting: Setting): Promise<void> {
  const user = desk.user(story.user)
  const interaction = `chat-${Math.floor(Math.random() * 9_000) + 1_000}`
  for (const { hours, beliefs } of story.heard)
    await user.observe(beliefs, { interaction: `${interaction}-${hours}`, at: Date.now() - hours * HOUR })
  const work = await user.start({
    intent: { words: story.words, goal: story.goal },
    ...(story.constraint !== undefined && { constraints: [story.constraint] }),
  })
  setting.say(`${desk.agent} listens to ${story.user}`)
  await step(setting)
  await plan(work, story)
  await step(setting)
  await work.handoff({ to: story.to, reason: story.reason, next: story.approach, urgency: story.urgency, tokens: 900 })
  setting.say(`${desk.agent} hands ${story.user} to ${story.to}`)
}

async function plan(work: DemoWork, story: Story): Promise<void> {
  const links = [{ field: 'need.issue', why: 'it is what they came for' }]
  const { thread: goal, approach, urgency } = story
  await work.thread({ id: 'main', goal, approach, urgency, fragility: 0.6, links })
  await work.validation({ id: 'check', what: story.check })
  if (story.promise !== undefined) await work.agree({ id: 'promise', text: story.promise })
  await work.checkpoint({ note: 'The plan is made', state: { step: 1 } })
}

/** Someone who knows about it: looks things up, solves it or asks a person. */
export async function solve(desk: DemoDesk, offer: Offer<Model>, setting: Setting): Promise<void> {
  await step(setting)
  const work = await offer.accept()
  const story = setting.stories.get(work.user.id)
  if (!story || offer.from?.role === 'human' || offer.from?.role === 'supervisor') return close(desk, work, setting)
  setting.say(`${desk.agent} takes ${story.user} over, completeness ${work.delivery.completeness.toFixed(2)}`)
  await step(setting)
  await work.user.observe(story.found, { interaction: `look-up-${story.user}` })
  await work.thread({ id: 'main', deadEnds: [story.triedInVain] })
  await work.decide({ id: 'decision', ...story.decision })
  if (story.note !== undefined) await work.note({ id: 'note', text: story.note })
  await work.checkpoint({ note: 'Looked it up', state: { step: 2 } })
  await step(setting)
  if (story.escalation) await escalate(work, story, setting)
  else await close(desk, work, setting)
}

async function escalate(work: DemoWork, story: Story, setting: Setting): Promise<void> {
  const { escalation: { to, reason, next, actions } = { to: 'human', reason: '', next: '', actions: {} } } = story
  const grant = { ttl: 4 * HOUR, actions }
  const acknowledge = to === 'human' ? AN_HOUR_TO_ANSWER : 100
  await work.handoff({ to, reason, next, grant, acknowledge, urgency: story.urgency, tokens: 1_200 })
  setting.say(`${story.user} waits for a ${to}: ${reason}`)
}

/** A person of the desk, who takes some of what waits, corrects a belief and finishes. */
export async function help(desk: DemoDesk, offer: Offer<Model>, setting: Setting): Promise<void> {
  const work = await offer.accept()
  setting.say(`${desk.agent} takes ${work.user.id} over`)
  await step(setting)
  await work.user.correct('emotion.state', 'calm', { why: 'We talked on the phone' })
  await step(setting)
  await close(desk, work, setting)
}

async function close(desk: DemoDesk, work: DemoWork, setting: Setting): Promise<void> {
  await step(setting)
  await work.validation({ id: 'check', status: 'confirmed' }).catch(unknown)
  await work.thread({ id: 'main', status: 'done' }).catch(unknown)
  await work.complete({ summary: 'Solved' })
  setting.say(`${desk.agent} has solved it for ${work.user.id}`)
}

/** Work that someone else has begun has other threads. */
function unknown(error: unknown): void {
  if (!(error instanceof SelfsameError)) throw error
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Handoff, holderOf, isOpen } from '../../model/handoff/handoff.ts'
import { overlapOf } from '../../model/handoff/overlap.ts'
import { mostDeliveries, waitOf } from '../../model/handoff/policy.ts'
import { type Act, elapse, step } from '../../model/handoff/step.ts'
import { law } from '../law.ts'
import { anAct, fresh, GRANT, POLICY } from './acts.ts'

/** What the machine must agree with: who was told that it holds, with which epoch, and what was acknowledged. */
interface Seen {
  now: number
  /** Epochs that were handed out, and to whom. */
  readonly epochs: Map<number, string>
  checkpoint: number
  isOver: boolean
}

interface Real {
  handoff: Handoff
}

class Command implements fc.Command<Seen, Real> {
  readonly #wait: number
  readonly #chance: number
  readonly #make: (handoff: Handoff) => Act

  constructor(wait: number, chance: number, make: (handoff: Handoff) => Act) {
    this.#wait = wait
    this.#chance = chance
    this.#make = make
  }

  check(): boolean {
    return true
  }

  run(seen: Seen, real: Real): void {
    seen.now += this.#wait
    const act = this.#make(real.handoff)
    const before = elapse(real.handoff, seen.now, this.#chance)
    const holder = holderOf(before, seen.now)
    const result = step(real.handoff, act, seen.now, this.#chance)
    real.handoff = result.ok ? result.value : before
    this.#holds(seen, before, real.handoff, act, result.ok, holder?.agent)
  }

  #holds(seen: Seen, before: Handoff, after: Handoff, act: Act, isOk: boolean, holder: string | undefined): void {
    if (after.epoch > before.epoch) {
      expect(holder).toBeUndefined()
      expect(seen.epochs.has(after.epoch)).toBe(false)
      seen.epochs.set(after.epoch, 'by' in act && act.by ? act.by.agent : '')
    }
    expect(after.epoch).toBeGreaterThanOrEqual(before.epoch)
    // Who is not the holder, or holds an older epoch, changes nothing.
    if ('epoch' in act && isOk && JSON.stringify(after) !== JSON.stringify(before)) {
      expect(act.by.agent).toBe(holder)
      expect(act.epoch).toBe(before.epoch)
    }
    const number = after.checkpoint?.number ?? 0
    expect(number).toBeGreaterThanOrEqual(seen.checkpoint)
    seen.checkpoint = number
    // No authority outlives its grant or its lease, and none is there without a holder that accepted.
    const now = holderOf(after, seen.now)
    if (now) {
      expect(after.grant.expires).toBeGreaterThan(seen.now)
      expect(after.grant.revoked).toBeUndefined()
      expect(seen.epochs.get(after.epoch)).toBe(now.agent)
    }
    // Who has handed on is there only beside a holder, answers only then, and what was answered stays as it was.
    if (overlapOf(after, seen.now)) expect(now).toBeDefined()
    for (const each of before.exchange ?? [])
      if (each.answer) expect(after.exchange?.find(({ id }) => id === each.id)).toEqual(each)
    const answers = (handoff: Handoff) => handoff.exchange?.filter(({ answer }) => answer).length ?? 0
    if (answers(after) > answers(before))
      expect(act).toMatchObject({ by: { agent: overlapOf(before, seen.now)?.with.agent } })
    // Never lost: someone has it, it is on its way, a person is asked, or it has an outcome that names its reason.
    if (isOpen(after))
      expect(now !== undefined || ['offered', 'parked', 'passing', 'accepted'].includes(after.state.name)).toBe(true)
    else expect('by' in after.state && after.state.at <= seen.now).toBe(true)
    expect(after.events.length).toBeGreaterThan(0)
  }

  toString(): string {
    return `+${this.#wait} ${JSON.stringify(this.#make(fresh))}`
  }
}

const command = fc
  .tuple(fc.constantFrom(0, 0, 10, 900, 2_000, 6_000, 30_000), fc.double({ min: 0, max: 0.99, noNaN: true }), anAct)
  .map(([wait, chance, make]) => new Command(wait, chance, make))

test('[HAND-1] in any order of acts and time: never two holders, never lost, no checkpoint back, no authority beyond its grant', () => {
  fc.assert(
    fc.property(fc.commands([command], { maxCommands: 60 }), commands => {
      fc.modelRun(
        () => ({ model: { now: 0, epochs: new Map(), checkpoint: 0, isOver: false }, real: { handoff: fresh } }),
        commands,
      )
    }),
    { numRuns: process.env['SELFSAME_LONG'] === '1' ? 100_000 : 2_000 },
  )
})

const times = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 80 })

law(
  '[HAND-2] an unanswered offer is delivered a bounded number of times, then goes to the alternative, then is parked',
  times,
  waits => {
    let [handoff, now, deliveries] = [{ ...fresh, grant: { ...GRANT, expires: Number.MAX_SAFE_INTEGER } }, 0, 1]
    for (const wait of waits) {
      now += wait
      const next = elapse(handoff, now, 0.5)
      const count = (each: Handoff) => each.events.filter(({ what }) => what === 'offered').length
      deliveries += count(next) - count(handoff)
      handoff = next as typeof handoff
    }
    expect(deliveries).toBeLessThanOrEqual(mostDeliveries(POLICY, 2))
    for (const later of [1e9, 2e9, 3e9, 4e9]) handoff = elapse(handoff, now + later, 0.5) as typeof handoff
    expect(handoff.state).toMatchObject({ name: 'parked', why: 'unanswered' })
  },
)

law(
  '[HAND-3] waits grow, are bounded, and differ by chance',
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 0.999, noNaN: true })),
  ([attempt, chance]) => {
    const wait = waitOf(POLICY, attempt, chance)
    expect(wait).toBeGreaterThanOrEqual(Math.min(450_000, POLICY.acknowledge * 2 ** (attempt - 1)) / 2)
    expect(wait).toBeLessThanOrEqual(15 * 60_000)
    if (attempt < 8) expect(waitOf(POLICY, attempt + 1, chance)).toBeGreaterThan(wait)
  },
)

const by = { agent: 'ben', role: 'billing' }
const get = (result: ReturnType<typeof step>): Handoff => {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

test('[HAND-4] who holds too long without a sign of life is replaced; after too many a person is asked', () => {
  let [handoff, now] = [fresh, 0]
  for (let holder = 1; holder <= POLICY.lapses + 1; holder++) {
    handoff = get(step(handoff, { type: 'accept', by, request: `r${holder}` }, now, 0))
    expect(handoff.epoch).toBe(holder)
    now += POLICY.lease
    handoff = elapse(handoff, now, 0)
  }
  expect(handoff.state).toMatchObject({ name: 'parked', why: 'lapsed' })
  const late = step(handoff, { type: 'complete', by, epoch: 1, result: null }, now, 0)
  expect(late).toMatchObject({ ok: false, error: { code: 'fenced' } })
  const again = get(
    step(handoff, { type: 'replay', by: { agent: 'hal', role: 'human' }, expires: now + 9_999 }, now, 0),
  )
  expect(again.state).toMatchObject({ name: 'offered', target: 0, attempt: 1 })
})

test('[HAND-5] a repeated act is answered as the first was, and another’s is refused', () => {
  const held = get(step(fresh, { type: 'accept', by, request: 'r1' }, 1, 0))
  expect(get(step(held, { type: 'accept', by, request: 'r1' }, 2, 0))).toBe(held)
  expect(step(held, { type: 'accept', by, request: 'r2' }, 2, 0)).toMatchObject({ error: { code: 'handoff_taken' } })
  const done = get(step(held, { type: 'complete', by, epoch: 1, result: 1 }, 3, 0))
  expect(get(step(done, { type: 'complete', by, epoch: 1, result: 1 }, 4, 0))).toBe(done)
  expect(step(done, { type: 'fail', by, epoch: 1, why: 'x', retry: false }, 4, 0)).toMatchObject({
    error: { code: 'fenced' },
  })
  expect(step(done, { type: 'fail', by, epoch: 2, why: 'x', retry: false }, 4, 0)).toMatchObject({
    error: { code: 'bad_state' },
  })
})

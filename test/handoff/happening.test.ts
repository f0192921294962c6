import fc from 'fast-check'
import { expect } from 'vitest'
import type { Handoff } from '../../model/handoff/handoff.ts'
import { elapse, step } from '../../model/handoff/step.ts'
import { type HandoffHappening, happenings } from '../../server/handoff/happening.ts'
import type { Kept } from '../../server/handoff/kept.ts'
import { law } from '../law.ts'
import { anAct, fresh } from './acts.ts'

const kept = (handoff: Handoff): Kept => ({
  user: 'u_1',
  handoff,
  message: { reason: '', next: '', expected: null, refs: [], words: null, fields: [] },
  envelope: { version: '1.0', handoff: handoff.id, id: '', previous: null, root: '', leaves: [], sections: [] },
  budget: { strategy: 'priority', tokens: null },
})

const acts = fc.array(fc.tuple(fc.constantFrom(0, 10, 900, 6_000), anAct), { maxLength: 40 })

law(
  '[FLEET-1] all that happens to a handoff is told once, in order, with who it came from and how long it took',
  acts,
  given => {
    let [handoff, now]: [Handoff, number] = [fresh, 0]
    const told: HandoffHappening[] = happenings(kept(fresh), undefined, undefined)
    for (const [wait, make] of given) {
      now += wait
      const before = elapse(handoff, now, 0.5)
      const result = step(handoff, make(before), now, 0.5)
      const after = result.ok ? result.value : before
      told.push(...happenings(kept(after), handoff, undefined))
      handoff = after
    }
    expect(told).toHaveLength(handoff.events.length)
    expect(told.map(({ at }) => at)).toEqual(handoff.events.map(({ at }) => at))
    for (const each of told) {
      expect(each).toMatchObject({ handoff: 'h_1', user: 'u_1', from: { agent: 'ann' }, hop: 1 })
      expect(each.latency ?? 0).toBeGreaterThanOrEqual(0)
      if (each.name === 'accepted') expect(each).toMatchObject({ latency: expect.any(Number), to: { role: 'billing' } })
    }
  },
)

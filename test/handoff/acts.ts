import fc from 'fast-check'
import type { Handoff } from '../../model/handoff/handoff.ts'
import type { Party } from '../../model/handoff/party.ts'
import { type Act, offer } from '../../model/handoff/step.ts'

export const POLICY = { acknowledge: 1_000, attempts: 2, lapses: 2, lease: 5_000 }
const AGENTS: readonly Party[] = ['ann', 'ben', 'cid'].map(agent => ({ agent, role: 'billing' }))
export const GRANT = { fields: null, actions: null, principal: 'u', expires: 60_000, by: 'ann' }

export const fresh: Handoff = offer(
  {
    id: 'h_1',
    work: 'w_1',
    from: { agent: 'ann', role: 'triage' },
    previous: null,
    targets: [{ role: 'billing', agent: 'ben' }, { role: 'billing' }],
    grant: GRANT,
    policy: POLICY,
    urgency: 0.5,
    hop: 1,
    mode: 'direct',
    window: 3_000,
    made: 0,
    epoch: 0,
    state: { name: 'offered', target: 0, attempt: 1, again: 0 },
    checkpoint: null,
    declined: [],
    lapses: 0,
    events: [],
  },
  0,
  1,
  0,
  0.5,
)

const agent = fc.constantFrom(...AGENTS)
const epochOf = fc.constantFrom(0, -1)
/** Any act by anyone, as of now or of a holding before. */
export const anAct: fc.Arbitrary<(handoff: Handoff) => Act> = fc.oneof(
  fc.tuple(agent, fc.constantFrom('r1', 'r2')).map(([by, request]) => () => ({ type: 'accept' as const, by, request })),
  agent.map(by => () => ({ type: 'decline' as const, by, why: 'busy' })),
  fc.tuple(agent, epochOf).map(([by, late]) => (h: Handoff) => ({ type: 'renew' as const, by, epoch: h.epoch + late })),
  fc
    .tuple(agent, epochOf, fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }))
    .map(([by, late, number]) => (h: Handoff) => ({
      type: 'checkpoint' as const,
      by,
      epoch: h.epoch + late,
      checkpoint: { number, state: null, note: '', fields: [] },
    })),
  fc.tuple(agent, epochOf).map(([by, late]) => (h: Handoff) => ({
    type: 'complete' as const,
    by,
    epoch: h.epoch + late,
    result: null,
  })),
  fc.tuple(agent, epochOf, fc.boolean()).map(([by, late, retry]) => (h: Handoff) => ({
    type: 'fail' as const,
    by,
    epoch: h.epoch + late,
    why: 'stuck',
    retry,
  })),
  fc.tuple(agent, epochOf).map(([by, late]) => (h: Handoff) => ({
    type: 'hand' as const,
    by,
    epoch: h.epoch + late,
    next: 'h_2',
  })),
  fc.tuple(agent, epochOf).map(([by, late]) => (h: Handoff) => ({
    type: 'return' as const,
    by,
    epoch: h.epoch + late,
    why: 'not mine',
    next: 'h_3',
  })),
  fc.tuple(agent, epochOf, fc.constantFrom('q1', 'q2')).map(([by, late, id]) => (h: Handoff) => ({
    ...{ type: 'ask' as const, by, epoch: h.epoch + late },
    ...{ id, text: 'why?', fields: [] },
  })),
  fc.tuple(agent, fc.constantFrom('q1', 'q2')).map(([by, id]) => () => ({
    type: 'answer' as const,
    by,
    id,
    text: 'so',
    fields: [],
  })),
  agent.map(by => () => ({ type: 'release' as const, by })),
  agent.map(by => () => ({ type: 'attach' as const, with: by, fields: null })),
  fc.tuple(agent, epochOf, fc.boolean()).map(([by, late, ends]) => (h: Handoff) => ({
    ...{ type: 'loop' as const, by, epoch: h.epoch + late, path: 'ann → ben', ends },
  })),
  fc.tuple(agent, epochOf).map(([by, late]) => (h: Handoff) => ({
    ...{ type: 'drift' as const, by, epoch: h.epoch + late, why: 'reworded' },
  })),
  fc.constant(() => ({ type: 'deliver' as const })),
  fc.constant(() => ({ type: 'taken' as const })),
  fc.constant(() => ({ type: 'recall' as const })),
  fc.tuple(agent, fc.boolean()).map(([by, resumes]) => () => ({ type: 'revoke' as const, by, why: 'stop', resumes })),
  fc.tuple(agent, fc.boolean()).map(([by, isHeld]) => () => ({ type: 'replay' as const, by, expires: 90_000, isHeld })),
)

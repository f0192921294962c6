import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../server/support/clock.ts'

/** What can happen. Everybody is named by a number, so that a schedule shrinks. */
export type Step =
  | ({ readonly do: 'say'; readonly who: number } & Saying)
  | { readonly do: 'retract'; readonly who: number; readonly of: number }
  | { readonly do: 'hide'; readonly what: number; readonly times: number }
  | ({ readonly do: 'post'; readonly peer: number; readonly id: number } & Saying)
  | { readonly do: 'flush'; readonly peer: number; readonly way: 'up' | 'down'; readonly count: number }
  | { readonly do: 'join' | 'cut' | 'copy'; readonly peer: number }
  | { readonly do: 'putBack'; readonly peer: number; readonly copy: number }
  | { readonly do: 'grant'; readonly fields: number }
  | { readonly do: 'wait'; readonly time: number }
  | { readonly do: 'restart'; readonly how: 'orderly' | 'crash' }
  | { readonly do: 'note' }

export interface Saying {
  readonly field: number
  readonly value: number
  readonly not: boolean
  readonly sure: boolean
  /** Milliseconds ago. */
  readonly ago: number
  readonly circumstance: number
}

/** Replicas of a village. */
const PEERS = 6

const nth = (max: number) => fc.nat({ max: max - 1 })

const saying = {
  field: nth(5),
  value: nth(3),
  not: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  sure: fc.boolean(),
  ago: fc.constantFrom(0, 0, 0, MINUTE, HOUR, 3 * DAY),
  circumstance: nth(4),
}

const kinds = {
  say: fc.record({ do: fc.constant('say' as const), who: nth(3), ...saying }),
  retract: fc.record({ do: fc.constant('retract' as const), who: nth(2), of: nth(6) }),
  hide: fc.record({ do: fc.constant('hide' as const), what: nth(6), times: fc.integer({ min: 1, max: 4 }) }),
  post: fc.record({ do: fc.constant('post' as const), peer: nth(PEERS), id: nth(12), ...saying }),
  flush: fc.record({
    do: fc.constant('flush' as const),
    peer: nth(PEERS),
    way: fc.constantFrom('up' as const, 'down' as const),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  link: fc.record({
    do: fc.constantFrom('join' as const, 'join' as const, 'cut' as const, 'copy' as const),
    peer: nth(PEERS),
  }),
  putBack: fc.record({ do: fc.constant('putBack' as const), peer: nth(PEERS), copy: nth(4) }),
  grant: fc.record({ do: fc.constant('grant' as const), fields: nth(4) }),
  wait: fc.record({
    do: fc.constant('wait' as const),
    time: fc.constantFrom(1, MINUTE, 31 * MINUTE, 2 * HOUR, DAY, 8 * DAY, 31 * DAY),
  }),
  restart: fc.record({
    do: fc.constant('restart' as const),
    how: fc.constantFrom('orderly' as const, 'crash' as const),
  }),
  note: fc.record({ do: fc.constant('note' as const) }),
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: kinds.say },
  { weight: 2, arbitrary: kinds.retract },
  { weight: 4, arbitrary: kinds.hide },
  { weight: 6, arbitrary: kinds.post },
  { weight: 12, arbitrary: kinds.flush },
  { weight: 6, arbitrary: kinds.link },
  { weight: 1, arbitrary: kinds.putBack },
  { weight: 2, arbitrary: kinds.grant },
  { weight: 3, arbitrary: kinds.wait },
  { weight: 1, arbitrary: kinds.restart },
  { weight: 1, arbitrary: kinds.note },
)

export const schedules: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 20, maxLength: 90, size: 'max' })

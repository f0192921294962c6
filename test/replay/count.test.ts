import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unwrap } from '../../model/error.ts'
import { InferredSchema } from '../../server/replay/inferred.ts'
import { type LogLine, parseLine } from '../../server/replay/log-line.ts'
import { Replay } from '../../server/replay/replay.ts'

const AT = Date.UTC(2026, 0, 5, 9)
const ROLES = ['triage', 'billing', 'tech'] as const
const FIELDS = ['need.order', 'need.issue'] as const
const VALUES = ['a', 'b'] as const

const role = fc.constantFrom(...ROLES)
const field = fc.constantFrom(...FIELDS)
const user = fc.constantFrom('u_1', 'u_2')
const lines = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('handoff'), user, role }),
    fc.record({ type: fc.constant('ask'), user, role, field }),
    fc.record({
      type: fc.constant('observation'),
      user,
      role,
      field,
      value: fc.constantFrom(...VALUES),
      basis: fc.constant('heard'),
    }),
  ),
  { maxLength: 40 },
)

type Line = { type: string; user: string; role: string; field?: string; value?: string }

/** Counted anew, without beliefs: everyone's last word counts one vote, and of equal numbers the latest word wins. */
function repeatsIn(log: readonly Line[]): number {
  let repeats = 0
  const words = new Map<string, { agent: string; value: string }[]>()
  const holders = new Map<string, { agent: string; spoken: Map<string, string | null> }>()
  for (const { type, user: whose, role: agent, field: name = '', value = '' } of log) {
    if (type === 'handoff') {
      holders.set(whose, { agent, spoken: new Map() })
      continue
    }
    const said = words.get(`${whose} ${name}`) ?? []
    const believed = winner(said)
    const holder = holders.get(whose)
    if (holder?.agent === agent && !holder.spoken.has(name)) {
      const isRepeat = believed !== undefined && (type === 'ask' || believed === value)
      repeats += Number(isRepeat)
      holder.spoken.set(name, type === 'ask' && isRepeat ? (believed ?? null) : null)
    } else if (holder?.agent === agent && type === 'observation') {
      const asked = holder.spoken.get(name) ?? null
      repeats -= Number(asked !== null && asked !== value)
      holder.spoken.set(name, null)
    }
    if (type === 'observation')
      words.set(`${whose} ${name}`, [...said.filter(each => each.agent !== agent), { agent, value }])
  }
  return repeats
}

function winner(said: readonly { value: string }[]): string | undefined {
  const votes = (value: string) => said.filter(each => each.value === value).length
  return said.reduceRight<string | undefined>(
    (best, { value }) => (best === undefined || votes(value) > votes(best) ? value : best),
    undefined,
  )
}

function replayed(log: readonly Line[], atHand?: number) {
  const parsed = log.map(each => unwrap(parseLine(JSON.stringify({ at: AT, ...each }))))
  const inferred = new InferredSchema()
  const all: LogLine[] = [...parsed, ...FIELDS.map(name => sample(name))]
  for (const each of all) inferred.see(each)
  const replay = new Replay(inferred.schema, atHand)
  for (const [i, each] of parsed.entries()) replay.take(i + 1, each)
  return replay.result
}

const sample = (name: string): LogLine =>
  unwrap(parseLine(JSON.stringify({ type: 'observation', at: AT, user: 'x', role: 'triage', field: name, value: 'a' })))

test('[RPL-7] any log has as many repeats as an independent count of votes finds in it', () => {
  fc.assert(
    fc.property(lines, log => {
      const { questions, leftOut } = replayed(log)
      expect([questions.repeats, leftOut.count]).toEqual([repeatsIn(log), 0])
    }),
    { numRuns: 500 },
  )
})

test('[RPL-8] no more users are at hand than fit; that some were put away is told', () => {
  const log = ['u_1', 'u_2', 'u_1'].flatMap(whose => [
    { type: 'observation', user: whose, role: 'triage', field: 'need.order', value: 'a', basis: 'heard' },
    { type: 'handoff', user: whose, role: 'billing' },
    { type: 'ask', user: whose, role: 'billing', field: 'need.order' },
  ])
  expect(replayed(log)).toMatchObject({ putAway: 0, questions: { repeats: 3 } })
  expect(replayed(log, 1)).toMatchObject({ putAway: 2, questions: { repeats: 3 } })
})

import { z } from 'zod'
import { ALERT_KINDS, type Alert, type AlertKind, TIERS, type Tier } from '../../model/wire/quality.ts'

/**
 * When to be alarmed of one target. A rule fires when its value passes `fires` and is resolved only when it is back beyond
 * `resolves`: in between nothing changes, so what hovers around a bound is told once.
 */
interface Rule {
  readonly kind: AlertKind
  readonly tier: Tier
  readonly fires: (value: number) => boolean
  readonly resolves: (value: number) => boolean
  readonly valueOf: (target: Target) => number | undefined
  readonly text: (value: number) => string
}

/** Accepts and outcomes that shares are taken of, and how many there must be for a share to mean anything. */
const ACCEPTS = 20
const FEWEST_ACCEPTS = 5
const OUTCOMES = 200
const FEWEST_OUTCOMES = 50
const IN_A_ROW = 3
const MAX_TARGETS = 1_000
const MAX_RESOLVED = 50

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`

const RULES: readonly Rule[] = [
  {
    kind: 'failure',
    tier: 'info',
    fires: count => count >= 1,
    resolves: count => count === 0,
    valueOf: ({ inARow }) => inARow,
    text: () => 'A handoff failed.',
  },
  {
    kind: 'failures_in_a_row',
    tier: 'warning',
    fires: count => count >= IN_A_ROW,
    resolves: count => count === 0,
    valueOf: ({ inARow }) => inARow,
    text: count => `${count} handoffs failed in a row.`,
  },
  {
    kind: 'completeness_below_95',
    tier: 'warning',
    fires: share => share < 0.95,
    resolves: share => share >= 0.96,
    valueOf: ({ completeness }) => meanOf(completeness, FEWEST_ACCEPTS),
    text: share => `Receivers get ${percent(share)} of what they are pointed to and need.`,
  },
  {
    kind: 'completeness_below_80',
    tier: 'critical',
    fires: share => share < 0.8,
    resolves: share => share >= 0.82,
    valueOf: ({ completeness }) => meanOf(completeness, FEWEST_ACCEPTS),
    text: share => `Receivers get ${percent(share)} of what they are pointed to and need.`,
  },
  {
    kind: 'failure_rate_above_2',
    tier: 'critical',
    fires: share => share > 0.02,
    resolves: share => share <= 0.015,
    valueOf: ({ failures }) => meanOf(failures, FEWEST_OUTCOMES),
    text: share => `${percent(share)} of handoffs fail.`,
  },
  {
    kind: 'breaker_open',
    tier: 'critical',
    fires: open => open === 1,
    resolves: open => open === 0,
    valueOf: ({ breaker }) => breaker,
    text: () => 'Nothing is offered there for the time being.',
  },
]

function meanOf(values: readonly number[], fewest: number): number | undefined {
  return values.length < fewest ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}

const targetShape = z.strictObject({
  inARow: z.int().min(0),
  /** Of each of the last accepts. */
  completeness: z.array(z.number()),
  /** Of each of the last outcomes: 1 if it failed. */
  failures: z.array(z.number()),
  breaker: z.union([z.literal(0), z.literal(1)]),
})

type Target = z.infer<typeof targetShape>

const QUIET: Target = { inARow: 0, completeness: [], failures: [], breaker: 0 }

const alertShape = z.strictObject({
  id: z.string(),
  tier: z.enum(TIERS),
  kind: z.enum(ALERT_KINDS),
  to: z.string(),
  state: z.enum(['fired', 'resolved']),
  since: z.number(),
  at: z.number(),
  value: z.number(),
  message: z.string(),
})

const keptShape = z.strictObject({
  targets: z.record(z.string(), targetShape),
  active: z.array(alertShape),
  resolved: z.array(alertShape),
})

/** What is wrong with whom, told when it begins and when it is over. */
export class Alerts {
  readonly #targets: Map<string, Target>
  readonly #active: Map<string, Alert>
  readonly #resolved: Alert[]
  readonly #tell: (alert: Alert) => void
  isDirty = false

  constructor(kept: unknown, tell: (alert: Alert) => void) {
    const { targets, active, resolved } = keptShape.parse(kept ?? { targets: {}, active: [], resolved: [] })
    this.#targets = new Map(Object.entries(targets))
    this.#active = new Map(active.map(alert => [keyOf(alert.kind, alert.to), alert]))
    this.#resolved = resolved
    this.#tell = tell
  }

  accepted(to: string, completeness: number, at: number): void {
    const target = this.#of(to)
    this.#put(to, { ...target, completeness: [...target.completeness, completeness].slice(-ACCEPTS) }, at)
  }

  ended(to: string, isFailure: boolean, at: number): void {
    const target = this.#of(to)
    const failures = [...target.failures, Number(isFailure)].slice(-OUTCOMES)
    this.#put(to, { ...target, inARow: isFailure ? target.inARow + 1 : 0, failures }, at)
  }

  breaker(to: string, isOpen: boolean, at: number): void {
    this.#put(to, { ...this.#of(to), breaker: isOpen ? 1 : 0 }, at)
  }

  /** A server begins with all breakers closed: what it was told before it ended is over. */
  begin(at: number): void {
    for (const [to, target] of [...this.#targets]) if (target.breaker === 1) this.breaker(to, false, at)
  }

  get active(): readonly Alert[] {
    return [...this.#active.values()].sort(gravestFirst)
  }

  /** The active ones, then those that were resolved last. */
  get all(): readonly Alert[] {
    return [...this.active, ...this.#resolved]
  }

  kept(): z.infer<typeof keptShape> {
    this.isDirty = false
    return { targets: Object.fromEntries(this.#targets), active: [...this.#active.values()], resolved: this.#resolved }
  }

  #of(to: string): Target {
    return this.#targets.get(to) ?? QUIET
  }

  #put(to: string, target: Target, at: number): void {
    if (!this.#targets.has(to) && this.#targets.size >= MAX_TARGETS) return
    this.#targets.set(to, target)
    this.isDirty = true
    for (const rule of RULES) this.#judge(rule, to, target, at)
    // An agent is a target for its breaker only, and there may be many of them over time.
    if (target.failures.length + target.completeness.length + target.breaker === 0) this.#targets.delete(to)
  }

  #judge(rule: Rule, to: string, target: Target, at: number): void {
    const value = rule.valueOf(target)
    if (value === undefined) return
    const key = keyOf(rule.kind, to)
    const active = this.#active.get(key)
    if (!active && rule.fires(value)) this.#fire(key, rule, to, value, at)
    else if (active && rule.resolves(value)) this.#resolve(key, active, value, at)
  }

  #fire(key: string, { kind, tier, text }: Rule, to: string, value: number, at: number): void {
    const id = `${kind}.${to}.${at}`
    const alert: Alert = { id, tier, kind, to, state: 'fired', since: at, at, value, message: text(value) }
    this.#active.set(key, alert)
    this.#tell(alert)
  }

  #resolve(key: string, active: Alert, value: number, at: number): void {
    const alert: Alert = { ...active, state: 'resolved', at, value }
    this.#active.delete(key)
    this.#resolved.unshift(alert)
    this.#resolved.length = Math.min(this.#resolved.length, MAX_RESOLVED)
    this.#tell(alert)
  }
}

const keyOf = (kind: AlertKind, to: string): string => `${kind} ${to}`

const gravestFirst = (a: Alert, b: Alert): number => TIERS.indexOf(b.tier) - TIERS.indexOf(a.tier) || b.since - a.since

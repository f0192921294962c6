/** What is told of how well handoffs go: counts and shares by role and time, nothing of any user, agent or field. */
export interface QualityAnswer {
  readonly from: number
  readonly to: number
  readonly by: 'day' | 'week'
  readonly total: Quality
  /** By the role that work was offered to. */
  readonly targets: { readonly [role: string]: Quality }
  /** The same over time, the oldest first. */
  readonly trend: readonly QualityPeriod[]
  /** The active alerts, then those that were resolved last. */
  readonly alerts: readonly Alert[]
  /** Targets to which nothing is offered for the time being. */
  readonly breakers: { readonly [target: string]: 'open' | 'half-open' }
  /** Handoffs that are open now, by state. */
  readonly open: { readonly [state: string]: number }
}

export interface QualityPeriod {
  readonly from: number
  readonly total: Quality
  readonly targets: { readonly [role: string]: Quality }
}

export interface Quality {
  readonly offered: number
  readonly accepted: number
  readonly declined: number
  readonly completed: number
  readonly returned: number
  readonly passed: number
  /** Targets that answered no delivery; holders that vanished or gave up; given up for good; offers that ran out of time. */
  readonly exhausted: number
  readonly lapsed: number
  readonly failed: number
  readonly expired: number
  /** Left to a person. */
  readonly parked: number
  /** Failures ÷ (failures + completed + returned + passed). */
  readonly failureRate: number | null
  /** Milliseconds from offer to accept, within 2.5 %. */
  readonly latency: Latency | null
  /** Mean share of what was pointed to and needed that was there. */
  readonly completeness: number | null
  readonly hops: { readonly mean: number; readonly most: number } | null
  /** Mean of the tokens of narratives that had a budget. */
  readonly tokens: number | null
  /** Fields that holders asked for, or recorded as heard without; and of both the ones that they could have read. */
  readonly asked: number
  readonly heard: number
  readonly repeats: number
  readonly repeatRate: number | null
}

export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export const TIERS = ['info', 'warning', 'critical'] as const
export type Tier = (typeof TIERS)[number]

export const ALERT_KINDS = [
  'failure',
  'failures_in_a_row',
  'completeness_below_95',
  'completeness_below_80',
  'failure_rate_above_2',
  'breaker_open',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export interface Alert {
  /** The same while it lasts, whether it is told as fired or as resolved. */
  readonly id: string
  readonly tier: Tier
  readonly kind: AlertKind
  /** The role, or the agent of a role, that work is offered to. */
  readonly to: string
  readonly state: 'fired' | 'resolved'
  readonly since: number
  readonly at: number
  /** What was measured. */
  readonly value: number
  readonly message: string
}

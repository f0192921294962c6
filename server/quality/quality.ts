import type { Logger } from 'pino'
import type { Target } from '../../model/handoff/party.ts'
import type { Alert, QualityAnswer, QualityPeriod } from '../../model/wire/quality.ts'
import type { BreakerHappening, HandoffHappening, Happening } from '../handoff/happening.ts'
import type { Keeper } from '../handoff/keeper.ts'
import type { Webhook } from '../webhook.ts'
import { Alerts } from './alerts.ts'
import { DAY, Days, dayOf, type Keeping } from './days.ts'
import type { HandoffMetrics } from './handoff-metrics.ts'
import type { Sought } from './repeat.ts'
import { counted as sketchOf } from './sketch.ts'
import { type Count, NO_TALLY, plus, qualityOf, type Tally } from './tally.ts'

/** What one happening counts as. */
const COUNTED: Partial<Record<HandoffHappening['name'], Count>> = {
  offered: 'offered',
  accepted: 'accepted',
  declined: 'declined',
  completed: 'completed',
  returned: 'returned',
  passed: 'passed',
  exhausted: 'exhausted',
  leaseEnded: 'lapsed',
  gaveUp: 'lapsed',
  failed: 'failed',
  parked: 'parked',
}
const FAILURES: ReadonlySet<Count> = new Set(['exhausted', 'lapsed', 'failed', 'expired'])
const SUCCESSES: ReadonlySet<Count> = new Set(['completed', 'returned', 'passed'])
const ALERTS = 'quality.alerts'
const LEVELS = { info: 'info', warning: 'warn', critical: 'error' } as const
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY = 4

export interface QualityOptions {
  readonly keeper: Keeper
  readonly keeping: Keeping
  readonly metrics: HandoffMetrics
  readonly log: Logger
  readonly now: () => number
  readonly webhook: Webhook | undefined
  /** Those of a role to whom alerts are told. */
  readonly isTold: (role: string) => boolean
}

/** Keeps count of handoffs: by day and role for good, for Prometheus, and of what is alarming. */
export class Quality {
  readonly #options: QualityOptions
  readonly #days: Days
  readonly #alerts: Alerts
  readonly #breakers = new Map<string, 'open' | 'half-open'>()
  /** Taken back by their senders: that they end as failed is no failure of whom they were offered to. */
  readonly #withdrawn = new Set<string>()
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: QualityOptions) {
    this.#options = options
    this.#days = new Days(options.keeping)
    this.#alerts = new Alerts(options.keeping.read(ALERTS), alert => this.#alert(alert))
    for (const alert of this.#alerts.active) options.metrics.alerted(alert)
    this.#alerts.begin(options.now())
    options.keeper.on(happening => this.#happened(happening))
  }

  sought({ role, way, isRepeat }: Sought, at: number): void {
    this.#count(way, role, at)
    if (isRepeat) this.#count('repeats', role, at)
  }

  /** From the beginning of one day, or week, up to a time. */
  answer(from: number, to: number, by: 'day' | 'week'): QualityAnswer {
    const step = by === 'week' ? 7 : 1
    const first = dayOf(from) - (by === 'week' ? (dayOf(from) + 7 - FIRST_MONDAY) % 7 : 0)
    const trend: QualityPeriod[] = []
    for (let day = first; day * DAY < to; day += step) {
      const sums = this.#days.between(day * DAY, Math.min(to, (day + step) * DAY))
      trend.push({ from: day * DAY, ...shown(sums) })
    }
    return {
      from: first * DAY,
      to,
      by,
      ...shown(this.#days.between(first * DAY, to)),
      trend,
      alerts: this.#alerts.all,
      breakers: Object.fromEntries(this.#breakers),
      open: Object.fromEntries(openIn(this.#options.keeper)),
    }
  }

  /** Written behind: what a crash takes of it is the count of some seconds. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write())
    const flushed = this.#flushing
    this.#flushing = flushed.catch(() => undefined)
    return flushed
  }

  async #write(): Promise<void> {
    await this.#days.flush()
    if (this.#alerts.isDirty) await this.#options.keeping.write(ALERTS, this.#alerts.kept())
  }

  #happened(happening: Happening): void {
    if (!('handoff' in happening)) this.#breaker(happening)
    else if (happening.from !== null) this.#handoff(happening)
  }

  #handoff(happening: HandoffHappening): void {
    const { name, handoff, at } = happening
    if (name === 'revoked') this.#withdrawn.add(handoff)
    const count = this.#countOf(happening)
    const role = this.#targetOf(happening)?.role
    if (count === undefined || role === undefined) return
    this.#count(count, role, at)
    if (name === 'accepted') this.#accepted(happening, role)
    if (FAILURES.has(count) || SUCCESSES.has(count)) this.#alerts.ended(role, FAILURES.has(count), at)
  }

  #countOf({ name, handoff, why }: HandoffHappening): Count | undefined {
    const isEnd = name === 'failed' || name === 'parked'
    if (isEnd && this.#withdrawn.delete(handoff)) return name === 'parked' ? 'parked' : undefined
    return name === 'parked' && why === 'expired' ? 'expired' : COUNTED[name]
  }

  /** Of a lapse and of what is parked nobody is the target any more: it was who accepted last, or was offered it last. */
  #targetOf({ to, user, handoff }: HandoffHappening): Target | undefined {
    const events = this.#options.keeper.of(user).kept.get(handoff)?.handoff.events ?? []
    return to ?? events.findLast(event => event.to !== undefined && event.what !== 'offered')?.to ?? events.at(0)?.to
  }

  #accepted({ at, hop, latency = 0, completeness = 1, tokens }: HandoffHappening, role: string): void {
    const { metrics } = this.#options
    const told = tokens ?? undefined
    this.#days.add(at, role, {
      completeness,
      hops: hop,
      mostHops: hop,
      ...(told !== undefined && { tokens: told, narratives: 1 }),
      latency: sketchOf({}, latency),
    })
    metrics.seconds.observe({ to: role }, latency / 1_000)
    metrics.completeness.observe({ to: role }, completeness)
    metrics.hops.observe({ to: role }, hop)
    if (told !== undefined) metrics.tokens.observe({ to: role }, told)
    this.#alerts.accepted(role, completeness, at)
  }

  #count(count: Count, role: string, at: number): void {
    this.#days.add(at, role, { counts: { [count]: 1 } })
    this.#options.metrics.counted(count, role)
  }

  #breaker({ name, to, at }: BreakerHappening): void {
    const target = to.agent === undefined ? to.role : `${to.role}/${to.agent}`
    if (name === 'breakerClosed') this.#breakers.delete(target)
    else this.#breakers.set(target, name === 'breakerOpened' ? 'open' : 'half-open')
    this.#alerts.breaker(target, name !== 'breakerClosed', at)
  }

  #alert(alert: Alert): void {
    const { keeper, log, metrics, webhook, isTold } = this.#options
    metrics.alerted(alert)
    log[LEVELS[alert.tier]]({ alert }, `${alert.state}: ${alert.to}: ${alert.message}`)
    webhook?.send({ id: `${alert.id}.${alert.state}`, type: `alert.${alert.state}`, data: alert })
    const text = JSON.stringify({ alert })
    for (const listener of keeper.counter.all) if (isTold(listener.session.role.name)) listener.push(text)
  }
}

export function openIn(keeper: Keeper): Map<string, number> {
  const states = new Map<string, number>()
  for (const { handoff } of keeper.open) states.set(handoff.state.name, (states.get(handoff.state.name) ?? 0) + 1)
  return states
}

function shown(sums: ReadonlyMap<string, Tally>): Pick<QualityAnswer, 'total' | 'targets'> {
  const total = [...sums.values()].reduce(plus, NO_TALLY)
  return {
    total: qualityOf(total),
    targets: Object.fromEntries([...sums].sort().map(([role, tally]) => [role, qualityOf(tally)])),
  }
}

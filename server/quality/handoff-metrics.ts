import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Alert } from '../../model/wire/quality.ts'
import type { Count } from './tally.ts'

/** What Prometheus is told of handoffs. Labels name roles, tiers and kinds, never users, agents or fields. */
export class HandoffMetrics {
  readonly events: Counter
  readonly seconds: Histogram
  readonly completeness: Histogram
  readonly hops: Histogram
  readonly tokens: Histogram
  readonly alerts: Gauge

  constructor(registry: Registry, open: () => ReadonlyMap<string, number>) {
    const registers = [registry]
    const labelNames = ['to']
    this.events = new Counter({
      name: 'selfsame_handoff_events_total',
      help: 'What became of handoffs, by the role they were offered to: offered, accepted, completed, failed and so on; asked, heard and repeats are what their holders asked users for, or heard from them.',
      labelNames: ['event', 'to'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'selfsame_handoff_accept_seconds',
      help: 'Time from an offer to its acceptance.',
      labelNames,
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400],
      registers,
    })
    this.completeness = new Histogram({
      name: 'selfsame_handoff_completeness',
      help: 'Share of what the receiver was pointed to and needs that was there.',
      labelNames,
      buckets: [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      registers,
    })
    this.hops = new Histogram({
      name: 'selfsame_handoff_hops',
      help: 'How often work had been handed on when it was accepted.',
      labelNames,
      buckets: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      registers,
    })
    this.tokens = new Histogram({
      name: 'selfsame_handoff_tokens',
      help: 'Tokens of narratives that had a budget.',
      labelNames,
      buckets: [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
      registers,
    })
    this.alerts = new Gauge({
      name: 'selfsame_handoff_alerts',
      help: 'Active alerts.',
      labelNames: ['tier', 'kind', 'to'],
      registers,
    })
    new Gauge({
      name: 'selfsame_handoffs_open',
      help: 'Open handoffs by state.',
      labelNames: ['state'],
      registers,
      collect() {
        this.reset()
        for (const [state, count] of open()) this.set({ state }, count)
      },
    })
  }

  counted(event: Count, to: string): void {
    this.events.inc({ event, to })
  }

  alerted({ tier, kind, to, state }: Alert): void {
    // A target may be an agent of a role: agents are no labels.
    const labels = { tier, kind, to: roleOf(to) }
    if (state === 'fired') this.alerts.inc(labels)
    else this.alerts.dec(labels)
  }
}

const roleOf = (target: string): string => target.split('/')[0] ?? target

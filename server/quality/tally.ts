import { z } from 'zod'
import type { Quality } from '../../model/wire/quality.ts'
import { joined, quantile } from './sketch.ts'

const COUNTS = [
  'offered',
  'accepted',
  'declined',
  'completed',
  'returned',
  'passed',
  'exhausted',
  'lapsed',
  'failed',
  'expired',
  'parked',
  'asked',
  'heard',
  'repeats',
] as const

export type Count = (typeof COUNTS)[number]

const number = z.number().min(0)

/** What is kept of the handoffs to one role on one day: sums only, so that tallies of several days or roles add up. */
export const tallyShape = z.strictObject({
  counts: z.partialRecord(z.enum(COUNTS), number),
  completeness: number,
  hops: number,
  mostHops: number,
  tokens: number,
  narratives: number,
  latency: z.record(z.string(), number),
})

export type Tally = z.infer<typeof tallyShape>

export const NO_TALLY: Tally = {
  counts: {},
  completeness: 0,
  hops: 0,
  mostHops: 0,
  tokens: 0,
  narratives: 0,
  latency: {},
}

export const plus = (a: Tally, b: Tally): Tally => ({
  counts: Object.fromEntries(COUNTS.map(name => [name, (a.counts[name] ?? 0) + (b.counts[name] ?? 0)])),
  completeness: a.completeness + b.completeness,
  hops: a.hops + b.hops,
  mostHops: Math.max(a.mostHops, b.mostHops),
  tokens: a.tokens + b.tokens,
  narratives: a.narratives + b.narratives,
  latency: joined(a.latency, b.latency),
})

/** What the sums say. Where there is nothing to divide by, there is no share. */
export function qualityOf({ counts, completeness, hops, mostHops, tokens, narratives, latency }: Tally): Quality {
  const of = (name: Count): number => counts[name] ?? 0
  const failures = of('exhausted') + of('lapsed') + of('failed') + of('expired')
  const successes = of('completed') + of('returned') + of('passed')
  const accepted = of('accepted')
  const at = (share: number) => Math.round(quantile(latency, share) ?? 0)
  return {
    offered: of('offered'),
    accepted,
    declined: of('declined'),
    completed: of('completed'),
    returned: of('returned'),
    passed: of('passed'),
    exhausted: of('exhausted'),
    lapsed: of('lapsed'),
    failed: of('failed'),
    expired: of('expired'),
    parked: of('parked'),
    failureRate: ratio(failures, failures + successes),
    latency: accepted === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    completeness: ratio(completeness, accepted),
    hops: accepted === 0 ? null : { mean: hops / accepted, most: mostHops },
    tokens: ratio(tokens, narratives),
    asked: of('asked'),
    heard: of('heard'),
    repeats: of('repeats'),
    repeatRate: ratio(of('repeats'), of('asked') + of('heard')),
  }
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

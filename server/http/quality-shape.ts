import { z } from '@hono/zod-openapi'
import { ALERT_KINDS, TIERS } from '../../model/wire/quality.ts'

/** What is answered of how well handoffs go, as the OpenAPI document tells it. */

const share = z.number().nullable()

const quality = z
  .object({
    offered: z.int(),
    accepted: z.int(),
    declined: z.int(),
    completed: z.int(),
    returned: z.int(),
    passed: z.int(),
    exhausted: z.int().openapi({ description: 'targets that answered no delivery' }),
    lapsed: z.int().openapi({ description: 'holders that vanished or gave up' }),
    failed: z.int(),
    expired: z.int(),
    parked: z.int().openapi({ description: 'left to a person' }),
    failureRate: share.openapi({ description: 'failures ÷ (failures + completed + returned + passed)' }),
    latency: z
      .object({ p50: z.number(), p95: z.number(), p99: z.number() })
      .nullable()
      .openapi({ description: 'milliseconds from offer to accept, within 2.5 %' }),
    completeness: share,
    hops: z.object({ mean: z.number(), most: z.number() }).nullable(),
    tokens: share,
    asked: z.int().openapi({ description: 'fields that holders asked for, once a handoff' }),
    heard: z.int().openapi({ description: 'fields that holders heard from the user and had not asked for' }),
    repeats: z.int().openapi({ description: 'asked for or heard though the holder could have read it' }),
    repeatRate: share.openapi({ description: 'repeats ÷ (asked + heard)' }),
  })
  .openapi('Quality')

const targets = z.record(z.string(), quality)

const alert = z
  .object({
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
  .openapi('Alert')

export const qualityShape = z
  .object({
    from: z.number(),
    to: z.number(),
    by: z.enum(['day', 'week']),
    total: quality,
    targets,
    trend: z.array(z.object({ from: z.number(), total: quality, targets })),
    alerts: z.array(alert),
    breakers: z.record(z.string(), z.enum(['open', 'half-open'])),
    open: z.record(z.string(), z.int()),
  })
  .openapi('QualityAnswer')

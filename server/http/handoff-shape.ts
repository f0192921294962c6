import { z } from '@hono/zod-openapi'
import { BREAKS, type Break } from '../../model/handoff/chain.ts'
import { MODES, STATES } from '../../model/handoff/handoff.ts'

/** What is answered of handoffs, as the OpenAPI document tells it. */

const party = z.object({ agent: z.string(), role: z.string() })
const target = z.object({ role: z.string(), agent: z.string().optional() })

export const handoffSeenShape = z
  .object({
    id: z.string(),
    state: z.enum(STATES),
    epoch: z.number().openapi({ description: 'rises with every accept; send it with all you do as the holder' }),
    from: party.nullable(),
    to: target.nullable(),
    holder: party.nullable(),
    previous: z.string().nullable(),
    next: z.string().nullable(),
    lease: z.number().nullable(),
    expires: z.number(),
    urgency: z.number(),
    hop: z.number(),
    mode: z.enum(MODES),
    overlap: z.object({ with: party, until: z.number() }).nullable(),
    broadcast: z.string().optional(),
    made: z.number(),
    why: z.string().optional(),
  })
  .openapi('Handoff')

const said = z.object({ by: party, at: z.number(), text: z.string(), fields: z.array(z.string()) })
const exchange = z.object({ id: z.string(), question: said, answer: said.nullable() }).openapi('Exchange')

export const broadcastSeenShape = z
  .object({
    id: z.string(),
    mode: z.literal('broadcast'),
    state: z.enum(['open', 'ended']),
    from: party,
    made: z.number(),
    deadline: z.number(),
    acted: z.number(),
    receivers: z.array(
      z.object({ to: target, handoff: z.string(), state: z.enum(STATES), why: z.string().optional() }),
    ),
  })
  .openapi('Broadcast')

const offer = z
  .object({
    id: z.string(),
    from: party.nullable(),
    to: target.nullable(),
    urgency: z.number(),
    hop: z.number(),
    made: z.number(),
    attempt: z.number(),
    isResumed: z.boolean(),
    needs: z.object({ known: z.array(z.string()), missing: z.array(z.string()) }),
  })
  .openapi('Offer')

const envelope = z
  .object({
    version: z.string(),
    id: z.string(),
    handoff: z.string(),
    previous: z.string().nullable(),
    root: z.string(),
    leaves: z.array(z.string()),
    sections: z.array(z.object({ name: z.string(), fields: z.array(z.string()), body: z.any(), salt: z.string() })),
  })
  .openapi('Envelope')

export const listedShape = z
  .object({ offers: z.array(offer), handoffs: z.array(handoffSeenShape), next: z.string().nullable() })
  .openapi('Handoffs')
export const replayedShape = z
  .object({ replayed: z.array(z.string()), next: z.string().nullable() })
  .openapi('Replayed')
export const permissionShape = z.object({ allowed: z.boolean(), reason: z.string().optional() }).openapi('Permission')
export const worksShape = z.object({ user: z.string(), works: z.array(z.any()) }).openapi('Works')
const stale = z
  .array(z.object({ field: z.string(), before: z.any(), now: z.any(), why: z.enum(['changed', 'faded']) }))
  .openapi({ description: 'what the holder was shown and is no longer so' })
export const verificationShape = z
  .object({
    handoff: z.string(),
    hops: z.array(z.string()),
    broken: z
      .object({
        handoff: z.string(),
        hop: z.int(),
        why: z.enum(Object.keys(BREAKS) as [Break, ...Break[]]).openapi({
          description: Object.entries(BREAKS)
            .map(([why, text]) => `- \`${why}\`: ${text}`)
            .join('\n'),
        }),
      })
      .nullable(),
  })
  .openapi('Verification')
const told = z
  .object({
    completeness: z.number(),
    strategy: z.string(),
    allowed: z.number().nullable(),
    used: z.number().nullable(),
    trimmed: z.array(z.object({ what: z.string(), why: z.string() })),
    trimmedInAll: z.int(),
    gaps: z.array(z.object({ field: z.string(), why: z.enum(['missing', 'stale']) })),
  })
  .nullable()
  .openapi({ description: 'how much its holder was told; for who may read every field' })
const frame = z.object({
  handoff: handoffSeenShape,
  outcome: z.any(),
  envelope,
  checkpoint: z.any(),
  exchange: z.array(exchange),
  events: z.array(z.any()),
  stale,
  told,
  served: z.object({ asOf: z.number(), values: z.record(z.string(), z.any()) }).nullable(),
})
const cursor = z.string().nullable().openapi({ description: 'where to go on; null: that was all' })
export const framesShape = z.object({ frames: z.array(frame), cursor }).openapi('Frames')
export const deskFramesShape = z
  .object({ frames: z.array(frame.extend({ user: z.string() })), cursor })
  .openapi('DeskFrames')

export const deliveryShape = z
  .object({
    user: z.string(),
    handoff: handoffSeenShape,
    envelope,
    work: z.any(),
    checkpoint: z.any(),
    exchange: z.array(exchange),
    narrative: z.string(),
    budget: z.object({
      strategy: z.string(),
      allowed: z.number().nullable(),
      used: z.number().nullable(),
      trimmed: z.array(z.object({ what: z.string(), why: z.string() })),
    }),
    gaps: z.array(z.object({ field: z.string(), why: z.enum(['missing', 'stale']) })),
    completeness: z.number(),
    since: z.array(z.object({ field: z.string(), before: z.any(), now: z.any() })).nullable(),
    version: z.string(),
    asOf: z.number(),
    beliefs: z.record(z.string(), z.any()),
  })
  .openapi('Delivery')

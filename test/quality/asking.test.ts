import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deskOf, offered } from '../handoff/desk.ts'
import { HOUR, SECOND } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'
import { Fleet } from './fleet.ts'

/** What billing may read, and what each field says when it is said at all. */
const VALUES = {
  'need.issue': 'charge',
  'need.order': 'A17',
  'need.urgency': 'high',
  'emotion.state': 'angry',
} as const
type Field = keyof typeof VALUES
const HIDDEN: ReadonlySet<Field> = new Set(['emotion.state'])
const FIELDS = Object.keys(VALUES) as Field[]

const step = fc.record({
  way: fc.constantFrom('work', 'checkpoint', 'ask', 'heard'),
  field: fc.constantFrom(...FIELDS),
})

test('[QUAL-12] what a holder asks for, of the user or of who handed it on, is a repeat if it could have read it; once a field and holding, and hearing the answer is no second one', async () => {
  const fleet = await Fleet.start()
  const counted = { asked: 0, heard: 0, repeats: 0 }
  const tell = async (user: string, name: string, field: Field) =>
    (await fleet.agents.caller(name)).observe(user, { field, value: VALUES[field], basis: 'heard' })

  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...FIELDS), { maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      async (said, steps) => {
        const { id, user } = await fleet.offer({ overlap: HOUR })
        for (const field of said) await tell(user, 'ann:triage', field)
        const epoch = await fleet.accept('ben:billing', id, { after: SECOND })
        const known = new Set<Field>(['need.issue', ...said])
        const touched = new Set<Field>()
        for (const { way, field } of steps) {
          if (way === 'heard' && HIDDEN.has(field)) continue
          if (way === 'heard') await tell(user, 'ben:billing', field)
          else await fleet.end('ben:billing', id, way, { epoch, ...askedBy(way, field) })
          if (!touched.has(field)) {
            counted[way === 'heard' ? 'heard' : 'asked']++
            counted.repeats += Number(known.has(field) && !HIDDEN.has(field))
          }
          touched.add(field)
        }
        await fleet.end('ben:billing', id, 'complete', { epoch, result: 1 })
      },
    ),
    { numRuns: 12, endOnFailure: true },
  )

  const { billing } = (await fleet.stats()).targets
  expect(counted.repeats).toBeGreaterThan(0)
  expect(billing).toMatchObject({ ...counted, repeatRate: counted.repeats / (counted.asked + counted.heard) })
  const { text } = await (await fleet.agents.caller('sue:supervisor')).get('/metrics')
  expect(text).toContain(`selfsame_handoff_events_total{event="asked",to="billing"} ${counted.asked}\n`)
}, 60_000)

const askedBy = (way: string, field: Field): object =>
  way === 'ask' ? { text: 'Which?', fields: [field], request: `q_${field}` } : { asked: [field] }

test('[QUAL-13] the SDK says what the user was asked for, alone or with a checkpoint; the next holder’s asking counts anew, the first holder’s and a late one’s not', async () => {
  const world = await World.start({ limits: { handoffCheck: 5 } })
  const [sue, ann, ben] = [
    await deskOf(world, 'sue', 'supervisor'),
    await deskOf(world, 'ann', 'triage'),
    await deskOf(world, 'ben', 'billing'),
  ]
  const first = await ann.user('u_1').start({ intent: 'Help me.' })
  await ann.user('u_1').observe({ 'need.issue': 'charge' })
  await first.asked('need.issue')
  await first.handoff({ to: 'billing', reason: 'a charge' })
  const work = await (await offered(ben)).accept()
  await work.asked('need.issue', 'need.order')
  await work.checkpoint({ note: 'asked', asked: ['need.issue', 'billing.plan'] })
  await work.fail('cut off', { retry: true })
  await expect(work.asked('need.issue')).rejects.toMatchObject({ code: 'fenced' })
  const again = await (await offered(ben, work.id)).accept()
  await again.asked('need.issue')
  const { total, targets } = await sue.stats()
  expect(total).toMatchObject({ asked: 4, heard: 0, repeats: 2, repeatRate: 0.5 })
  expect(Object.keys(targets)).toEqual(['billing'])
})

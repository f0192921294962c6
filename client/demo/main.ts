import { desk } from '../../model/sample/desk.ts'
import { connect } from '../index.ts'
import { line, scene, show, text } from './stage.ts'

/** Agents of three roles and a person work on one user. Run by `selfsame demo`, which serves a fresh store for it. */

const HOUR = 3_600_000
const USER = 'u_42'

const setting = (name: string): string => {
  const value = process.env[`DEMO_${name}`]
  if (!value) throw new Error('Run this as `selfsame demo`, or as `npm run demo` in a checkout.')
  return value
}

const join = async (name: string) => {
  const joined = await connect({ url: setting('URL'), token: setting(name), model: desk })
  return { desk: joined, user: joined.user(USER) }
}

const [triage, billing, tech, person] = await Promise.all([
  join('TRIAGE'),
  join('BILLING'),
  join('TECH'),
  join('PERSON'),
])

await scene(
  '1 · Three agents write at once',
  'Nobody locks anything. What contradicts stays visible, as a contested belief.',
)
await Promise.all([
  triage.user.observe({
    'need.issue': { value: 'unauthorized_recurring_charge', confidence: 0.95, basis: 'heard' },
    'emotion.state': { value: 'frustrated', confidence: 0.88, at: Date.now() - 5 * HOUR },
    'expertise.level': { value: 'high', confidence: 0.7 },
    'identity.allergies': ['peanuts'],
  }),
  tech.user.observe({ 'expertise.level': { value: 'low', confidence: 0.68 }, 'technical.product': 'billing portal' }),
  billing.user.observe({ 'billing.plan': { value: 'pro', basis: 'seen' }, 'billing.status': 'disputed' }),
])
await line('triage', 'heard of an unauthorized charge, saw frustration five hours ago, took the user for an expert')
await line('tech', 'took the user for a beginner')
await line('billing', 'looked up the plan')

await scene(
  '2 · Each role sees what it may',
  'Frustration of five hours ago has faded, as its half-life is two hours. Billing is not told of it at all.',
)
await show('triage', await triage.user.model())
const started = performance.now()
const handedOver = await billing.user.model()
await show('billing', handedOver, performance.now() - started)

await scene(
  '3 · Restating what one was told proves nothing',
  'Billing read the issue and says it again. The store knows, and the belief does not rise.',
)
const before = handedOver.get('need.issue')?.confidence ?? 0
const { outcomes } = await billing.user.observe({
  'need.issue': { value: 'unauthorized_recurring_charge', confidence: 0.9 },
})
const after = (await billing.user.model()).get('need.issue')?.confidence ?? 0
await line(
  'billing',
  `outcome: ${outcomes[0]?.status}; confidence ${before.toFixed(3)} before, ${after.toFixed(3)} after`,
)

await scene(
  '4 · A person corrects, and agents do not overrule it',
  'The correction is watched live; what agents infer against it is held back and shown.',
)
const corrected = new Promise<void>(resolve => {
  const stop = triage.user.watch(['expertise.*'], ({ beliefs }) => {
    const level = beliefs['expertise.level']
    if (level?.value !== 'moderate') return
    stop()
    line('triage', `is told at once: expertise.level = moderate ${level.confidence.toFixed(2)}`).then(resolve)
  })
})
await line('person', 'corrects: expertise.level = moderate')
await person.user.correct('expertise.level', 'moderate', {
  why: 'Talked for ten minutes: knows the product, not the jargon.',
})
await corrected
for (const attempt of [1, 2, 3])
  await tech.user.observe({ 'expertise.level': { value: 'low', confidence: 0.9 } }, { interaction: `chat-${attempt}` })
await line('tech', 'infers "low" three times more')
await show('person', await person.user.model({ fields: ['expertise.level'] }))
for (const { agent, value, standing } of (await person.user.explain('expertise.level')).words)
  await line('', `${agent} said ${JSON.stringify(value)}: ${standing}`)

await scene(
  '5 · The next agent starts warm',
  'What a language model is given before it speaks: ordered, within a budget, as quoted data.',
)
await line('billing', 'asks for a context of 200 tokens')
text(await billing.user.context({ tokens: 200 }))

await Promise.all([triage, billing, tech, person].map(each => each.desk.close()))
console.log('\nThe user repeated nothing.\n')

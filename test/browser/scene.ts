import { connect, type Desk, type Work } from '../../client/index.ts'
import type { Service } from '../../server/service.ts'

const HOUR = 3_600_000

/** A user whom a bot has passed to people: with beliefs, work, promises and a contradiction. */
export async function escalate(service: Service, user: string, ttl = HOUR): Promise<{ desk: Desk; work: Work }> {
  const desk = await connect({ url: service.url, token: await service.token('triage-bot', 'triage') })
  const billing = await connect({ url: service.url, token: await service.token('billing-bot', 'billing') })
  const tech = await connect({ url: service.url, token: await service.token('tech-bot', 'tech') })
  const work = await desk.user(user).start({
    intent: {
      words: 'I was charged three times this month and nobody calls me back. I want my money.',
      goal: 'Two of three charges of 49.00 refunded, and a written confirmation',
    },
    constraints: ['No offer of store credit: refused twice'],
  })
  await desk.user(user).observe(
    {
      'need.issue': { value: 'unauthorized_recurring_charge', confidence: 0.95, basis: 'heard' },
      'need.goal': { value: 'Refund of two charges', confidence: 0.9, basis: 'heard' },
      'need.urgency': { value: 'high', confidence: 0.8 },
      'emotion.state': { value: 'frustrated', confidence: 0.88, at: Date.now() - HOUR },
      'emotion.churn_risk': { value: true, confidence: 0.7, at: Date.now() - 30 * HOUR },
      'expertise.level': { value: 'high', confidence: 0.7, at: Date.now() - 20 * HOUR },
      'preference.communication': { value: 'direct', confidence: 0.8 },
      'identity.name': { value: 'Maya Okafor', basis: 'heard', confidence: 0.95 },
      'history.contacts': { value: 3, confidence: 0.9 },
    },
    { interaction: 'chat-71' },
  )
  await tech.user(user).observe({ 'expertise.level': { value: 'low', confidence: 0.68 } }, { interaction: 'call-9' })
  await billing.user(user).observe({
    'billing.plan': { value: 'pro', basis: 'seen' },
    'billing.status': 'disputed',
    'billing.card_last4': '4242',
  })
  await work.thread({
    goal: 'Refund the two double charges',
    approach: 'Charges of 3 and 9 November are duplicates of 1 November',
    deadEnds: ['Asked the payment provider to reverse: refused, settled already'],
    urgency: 0.9,
    fragility: 0.7,
    links: [{ field: 'need.issue', why: 'the dispute itself' }],
  })
  await work.thread({ goal: 'Stop the third subscription', status: 'waiting', urgency: 0.4, fragility: 0.3 })
  await work.validation({ what: 'Card statement shows all three charges' })
  await work.agree('A call back today before 18:00')
  await work.decide({ what: 'No store credit', why: 'Offered twice, made it worse' })
  await work.note('The billing portal shows times in UTC')
  await work.handoff({
    to: 'human',
    reason: 'Refund is above what a bot may give, and the user asked for a person twice',
    next: 'Confirm both refunds by phone, then send it in writing',
    urgency: 0.85,
    grant: { ttl, actions: { refund: { amount: { max: 100 } }, open_ticket: {} } },
  })
  await Promise.all([billing.close(), tech.close()])
  return { desk, work }
}

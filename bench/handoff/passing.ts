import type { Desk, Offer, Work } from '../../client/index.ts'
import { inLanes } from '../lanes.ts'
import type { Load } from './load.ts'

const LEASE = 3_600_000
const AT_ONCE = 64

/** Starts work for every user and offers each to one successor. */
export async function offering(sender: Desk, { users }: Load, prefix: string, successors: number): Promise<void> {
  await inLanes([...users.entries()], AT_ONCE, async ([i, user]) => {
    const work = await sender.user(user).start({ intent: 'I was charged twice, and nobody answers.', lease: LEASE })
    await work.checkpoint({
      state: { step: 1 },
      threads: [{ goal: 'find the charge', approach: 'compare invoices', urgency: 0.9, fragility: 0.6 }],
      decisions: [{ what: 'refund if confirmed', why: 'two charges on one day' }],
    })
    const to = { role: 'successor', agent: `${prefix}-${i % successors}` }
    await work.handoff({ to, reason: 'it is yours', constraints: ['no calls before noon'], acknowledge: LEASE })
    work.abandon()
  })
}

/** The offers that wait for these, once all are there. */
export async function offersOf(desks: readonly Desk[], count: number): Promise<Offer[]> {
  const offers = new Map<string, Offer>()
  return new Promise(resolve => {
    for (const desk of desks)
      desk.onOffer(offer => {
        offers.set(offer.id, offer)
        if (offers.size === count) resolve([...offers.values()])
      })
  })
}

/** Accepts all, so many at a time. Milliseconds until each had the work and every belief. */
export async function accepting(offers: readonly Offer[], { fields }: Load, atOnce: number): Promise<number[]> {
  const times: number[] = []
  const taken: Work[] = []
  await inLanes(offers, atOnce, async offer => {
    const started = performance.now()
    const work = await offer.accept({ lease: LEASE })
    const { model, delivery } = work
    times.push(performance.now() - started)
    if (model.size !== fields.length || delivery.work.threads.length !== 1) throw new Error(`${model.size} beliefs`)
    taken.push(work)
  })
  await inLanes(taken, AT_ONCE, work => work.complete())
  return times
}

import { signal } from '@preact/signals'
import type { Desk, ListedHandoff, Offer } from '../index.ts'
import { resume } from './holding.ts'
import { notify } from './notification.ts'

/** What is open on this desk. */
export interface DeskList {
  readonly offers: readonly Offer[]
  readonly mine: readonly ListedHandoff[]
  readonly parked: readonly ListedHandoff[]
  readonly others: readonly ListedHandoff[]
}

export const list = signal<DeskList | undefined>(undefined)
const AGAIN = 2_000

/** Offers are told at once; what others do with them is looked up every other second. */
export function follow(desk: Desk): () => void {
  const look = () => refresh(desk).catch(() => undefined)
  const stop = desk.onOffer(look)
  const timer = setInterval(look, AGAIN)
  look()
  return () => {
    stop()
    clearInterval(timer)
    list.value = undefined
  }
}

export async function refresh(desk: Desk): Promise<void> {
  const [offers, { handoffs }] = await Promise.all([desk.offers(), desk.handoffs()])
  const known = new Map(list.value?.offers.map(offer => [offer.id, offer]))
  if (list.value && offers.some(({ id }) => !known.has(id))) notify(offers.length)
  const mine = handoffs.filter(each => each.holder?.agent === desk.agent)
  for (const each of mine) await resume(desk, each.id)
  list.value = {
    // An offer is kept while it stands: its request is what makes an accept that is sent again the same one.
    offers: offers.map(offer => known.get(offer.id) ?? offer).sort((a, b) => b.urgency - a.urgency || a.made - b.made),
    mine,
    parked: handoffs.filter(each => each.state === 'parked').sort((a, b) => b.urgency - a.urgency || a.made - b.made),
    others: handoffs.filter(each => each.holder !== null && each.holder.agent !== desk.agent),
  }
}

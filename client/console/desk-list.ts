import { signal } from '@preact/signals'
import type { Desk, ListedHandoff, Offer, OpenHandoffs } from '../index.ts'
import { resume } from './holding.ts'
import { tell } from './notice.tsx'
import { notify } from './notification.ts'

/** What is open on this desk. */
export interface DeskList {
  readonly offers: readonly Offer[]
  readonly mine: readonly ListedHandoff[]
  readonly parked: readonly ListedHandoff[]
  readonly others: readonly ListedHandoff[]
  readonly all: readonly ListedHandoff[]
}

export const list = signal<DeskList | undefined>(undefined)

/** Keeps the list as the server tells it. */
export function follow(desk: Desk): () => void {
  const stop = desk.watchHandoffs(open => show(desk, open), { onError: error => tell(error.message, 'bad') })
  return () => {
    stop()
    list.value = undefined
  }
}

function show(desk: Desk, { offers, handoffs }: OpenHandoffs): void {
  const known = new Set(list.value?.offers.map(({ id }) => id))
  if (list.value && offers.some(({ id }) => !known.has(id))) notify(offers.length)
  const mine = handoffs.filter(each => each.holder?.agent === desk.agent).sort(first)
  for (const { id } of mine) resume(desk, id)
  list.value = {
    offers: offers.toSorted(first),
    mine,
    parked: handoffs.filter(each => each.state === 'parked').sort(first),
    others: handoffs.filter(each => each.holder !== null && each.holder.agent !== desk.agent).sort(first),
    all: handoffs,
  }
}

/** What is most urgent, then what waits longest. */
const first = (a: Offer | ListedHandoff, b: Offer | ListedHandoff): number => b.urgency - a.urgency || a.made - b.made

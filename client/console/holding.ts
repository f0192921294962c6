import { signal } from '@preact/signals'
import { newId } from '../id.ts'
import { type Desk, type HandoffSeen, type Offer, SelfsameError, type StartOptions, type Work } from '../index.ts'

/** Work that this person holds, by handoff. How it was accepted outlives the tab, so that the next one takes it up again. */
export const held = signal<ReadonlyMap<string, Work>>(new Map())

let place = 'selfsame.held'
const resuming = new Set<string>()

/** Each agent has a place of its own. */
export function heldBy(agent: string): void {
  place = `selfsame.held.${agent}`
}

export async function accept(offer: Offer): Promise<Work> {
  keep({ ...kept(), [offer.id]: offer.request })
  return hold(await offer.accept())
}

/** Takes work from whoever has it. */
export async function takeOver(desk: Desk, handoff: Pick<HandoffSeen, 'id' | 'epoch'>): Promise<Work> {
  const request = newId()
  keep({ ...kept(), [handoff.id]: request })
  return hold(await desk.takeOver(handoff, request))
}

export async function begin(desk: Desk, user: string, options: StartOptions & { request: string }): Promise<void> {
  const work = hold(await desk.user(user).start(options))
  keep({ ...kept(), [work.id]: options.request })
}

/** What this agent holds on the server and this tab has accepted before. */
export async function resume(desk: Desk, id: string): Promise<void> {
  const request = kept()[id]
  if (request === undefined || held.value.has(id) || resuming.has(id)) return
  resuming.add(id)
  try {
    hold(await desk.resume(id, request))
  } catch (error) {
    // What got no answer is tried again; what was refused was lost to another.
    const isOpen = error instanceof SelfsameError && (error.code === 'disconnected' || error.code === 'timed_out')
    if (!isOpen) release(id)
  } finally {
    resuming.delete(id)
  }
}

function hold(work: Work): Work {
  held.value = new Map(held.value).set(work.id, work)
  return work
}

export function release(id: string): void {
  const left = new Map(held.value)
  left.delete(id)
  held.value = left
  const { [id]: _, ...rest } = kept()
  keep(rest)
}

export function forget(): void {
  for (const work of held.value.values()) work.abandon()
  held.value = new Map()
  localStorage.removeItem(place)
}

const kept = (): Record<string, string> => JSON.parse(localStorage.getItem(place) ?? '{}')
const keep = (requests: Record<string, string>): void => localStorage.setItem(place, JSON.stringify(requests))

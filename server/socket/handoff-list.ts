import type { ListFrame } from '../../model/wire/frame.ts'
import type { HandoffSeen, ListedHandoff, OfferSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { isFor } from '../handoff/keeper.ts'
import type { Kept } from '../handoff/kept.ts'
import { offerOf } from '../handoff/offer.ts'
import type { Desk } from '../operation/desk.ts'
import { listedFor, MOST, openHandoffs } from '../operation/handoffs.ts'
import { type Followed, GATHER, gistOf, Soon } from './followed.ts'

/** A list that is full is told anew as a whole when there is room in it, and so less often. */
const GATHER_WHEN_FULL = 20 * GATHER

type ListChange = Omit<ListFrame, 'watch'>

/**
 * The list of handoffs as one session may see it, told by what changes in it. Signs of life change nothing that is
 * worth telling; what an offer's receiver would have to ask for is as of the last time that the offer itself changed.
 */
export class HandoffList implements Followed {
  readonly #desk: Desk
  readonly #session: Session
  readonly #state: HandoffSeen['state'] | undefined
  readonly #changed: (change: ListChange) => void
  readonly #again: () => void
  readonly #soon: Soon
  readonly #leave: (() => void)[]
  /** By id, whose. */
  readonly #touched = new Map<string, string>()
  readonly #told = { offers: new Map<string, string>(), handoffs: new Map<string, string>() }
  #isFull = false

  constructor(
    desk: Desk,
    session: Session,
    state: HandoffSeen['state'] | undefined,
    { changed, again }: { readonly changed: (change: ListChange) => void; readonly again: () => void },
  ) {
    this.#desk = desk
    this.#session = session
    this.#state = state
    this.#changed = changed
    this.#again = again
    this.#soon = new Soon(() => this.#tell(), desk.house.onFault)
    this.#leave = [
      desk.keeper.follow(kept => this.#touch(kept)),
      desk.house.authority.onChangeOf(session.agent, (_, user) => {
        for (const kept of desk.keeper.of(user).kept.values()) this.#touch(kept)
      }),
    ]
  }

  async begin(): Promise<string> {
    const listed = await openHandoffs(this.#desk, this.#session, { state: this.#state })
    for (const offer of listed.offers) this.#note('offers', offer.id, offer)
    for (const handoff of listed.handoffs) this.#note('handoffs', handoff.id, handoff)
    if (listed.offers.length === MOST || listed.handoffs.length === MOST) this.#full()
    this.#soon.begin()
    return JSON.stringify(listed)
  }

  stop(): void {
    for (const leave of this.#leave) leave()
    this.#soon.stop()
  }

  #touch({ user, handoff }: Kept): void {
    this.#touched.set(handoff.id, user)
    this.#soon.touch()
  }

  async #tell(): Promise<void> {
    const touched = [...this.#touched]
    this.#touched.clear()
    const offers: Record<string, OfferSeen | null> = {}
    const listed: Record<string, ListedHandoff | null> = {}
    for (const [id, user] of touched) {
      const kept = this.#keptOf(id, user)
      const offer = kept && isFor(kept, this.#session) ? await this.#offerOf(kept) : null
      if (this.#note('offers', id, offer)) offers[id] = offer
      const seen = (kept && listedFor(this.#desk, this.#session, kept)[0]) ?? null
      if (this.#note('handoffs', id, seen)) listed[id] = seen
    }
    const changes = [...Object.values(offers), ...Object.values(listed)]
    if (this.#isFull && changes.includes(null)) this.#again()
    else if (changes.length > 0) this.#changed({ offers, handoffs: listed })
  }

  #keptOf(id: string, user: string): Kept | undefined {
    const kept = this.#desk.keeper.of(user).kept.get(id)
    return this.#state === undefined || kept?.handoff.state.name === this.#state ? kept : undefined
  }

  #offerOf(kept: Kept): Promise<OfferSeen> {
    return offerOf(this.#desk.house, this.#desk.rooms, kept, this.#session.role)
  }

  /** Whether there is something to tell: what is there is another than was told. */
  #note(list: 'offers' | 'handoffs', id: string, seen: OfferSeen | HandoffSeen | null): boolean {
    const told = this.#told[list]
    if (!seen) return told.delete(id)
    if (!told.has(id) && told.size >= MOST) return this.#full()
    const gist = gistOf(JSON.stringify({ ...seen, lease: null }))
    if (told.get(id) === gist) return false
    told.set(id, gist)
    return true
  }

  #full(): false {
    this.#isFull = true
    this.#soon.pause = GATHER_WHEN_FULL
    return false
  }
}

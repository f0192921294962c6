import { SelfsameError } from '../../model/error.ts'
import { dueOf, type Handoff, isDelivered, isOpen, targetOf } from '../../model/handoff/handoff.ts'
import { meets } from '../../model/handoff/party.ts'
import type { Passes } from '../../model/handoff/route.ts'
import type { Session } from '../access/session.ts'
import type { House } from '../room/house.ts'
import type { Rooms } from '../room/rooms.ts'
import { MAX_WAITING, Turns } from '../store/turns.ts'
import { Breakers } from './breakers.ts'
import { Counter, type Listener, partyOf } from './counter.ts'
import { Docket, type Dossier, EMPTY } from './docket.ts'
import { tellExchange } from './exchanged.ts'
import { entryOf, frameKey } from './frame-index.ts'
import { deliveredTo, type Happening, happenings } from './happening.ts'
import { HeldOffers } from './held-offers.ts'
import { asKept, HANDOFFS, type Kept, paperOf } from './kept.ts'
import { offerOf } from './offer.ts'
import type { OfferWebhooks } from './offer-webhooks.ts'
import { summaryOf } from './summary.ts'

/**
 * Keeps every open handoff. What is open is in memory as it is on disk; changes of one user are made one after another,
 * each written whole before anyone hears of it. What time changes is looked after by `tick`.
 */
export class Keeper {
  readonly counter = new Counter()
  readonly #house: House
  readonly #rooms: Rooms
  readonly #chance: () => number
  readonly #webhooks: OfferWebhooks
  readonly #turns = new Turns()
  readonly #waiting = new Map<string, number>()
  /** By user of whom changes wait: how often they were erased meanwhile. */
  readonly #erasures = new Map<string, number>()
  readonly #dossiers = new Map<string, Dossier>()
  readonly #users = new Map<string, string>()
  readonly #due = new Map<string, number>()
  /** Handoffs that an agent holds or waits for the acceptance of. */
  readonly #perAgent = new Map<string, number>()
  readonly #held = new HeldOffers()
  readonly #breakers: Breakers
  readonly #listeners = new Set<(happening: Happening) => void>()
  readonly #followers = new Set<(kept: Kept) => void>()
  #ticking: Promise<void> | undefined

  constructor(house: House, rooms: Rooms, chance: () => number, webhooks: OfferWebhooks) {
    this.#house = house
    this.#rooms = rooms
    this.#chance = chance
    this.#webhooks = webhooks
    const { breakerFailures, breakerOpen } = house.limits
    const policy = { failures: breakerFailures, open: breakerOpen }
    this.#breakers = new Breakers(policy, happening => this.#happened(happening))
  }

  /** Takes up what was open when the last process ended, however it ended. */
  async resume(): Promise<void> {
    for (const user of [...this.#house.archive.open()]) {
      const { archive } = this.#house
      const kept = [...archive.papers(user, HANDOFFS)].flatMap(([, paper]) => asKept(paper) ?? [])
      const docket = new Docket(user, EMPTY, archive, this.#house.now(), this.#chance())
      for (const each of kept.filter(({ handoff }) => isOpen(handoff))) {
        docket.put({ ...each, handoff: regained(each.handoff, docket.now) })
        docket.works.set(each.handoff.work, docket.work(each.handoff.work))
      }
      this.#apply(docket)
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  get size(): number {
    return this.#users.size
  }

  get open(): Iterable<Kept> {
    return [...this.#dossiers.values()].flatMap(({ kept }) => [...kept.values()])
  }

  of(user: string): Dossier {
    return this.#dossiers.get(user) ?? EMPTY
  }

  openOf(agent: string): number {
    return this.#perAgent.get(agent) ?? 0
  }

  /** Whom a handoff or a broadcast is about, open or not. */
  whose(id: string): string {
    const { archive } = this.#house
    const user = this.#users.get(id) ?? archive.whose(paperOf.handoff(id)) ?? archive.whose(paperOf.broadcast(id))
    if (user === undefined)
      throw new SelfsameError({ code: 'handoff_unavailable', message: 'No such handoff that you may see.' })
    return user
  }

  /** Changes handoffs of one user. What the work leaves in the docket is durable when this settles. */
  async change<T>(user: string, work: (docket: Docket) => T | Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(user) ?? 0
    if (waiting >= MAX_WAITING)
      throw new SelfsameError({
        code: 'overloaded',
        message: `${waiting} changes of this user's handoffs are waiting.`,
      })
    this.#waiting.set(user, waiting + 1)
    return this.#inTurn(user, work).finally(() => this.#left(user))
  }

  /** Ends everything that is open of a user. What was asked before is not done any more. */
  erase(user: string, work: () => Promise<void>): Promise<void> {
    return this.#turns.take(user, async () => {
      await work()
      if (this.#waiting.has(user)) this.#erasures.set(user, (this.#erasures.get(user) ?? 0) + 1)
      this.#drop(user)
    })
  }

  #drop(user: string): void {
    const { kept } = this.of(user)
    this.#dossiers.delete(user)
    for (const [id, { handoff }] of kept) {
      this.#count(handoff, -1)
      this.#due.delete(id)
      this.#held.forget(id)
      this.#users.delete(id)
      this.#house.authority.release(user, id)
      const agent = agentOf(handoff)
      if (agent !== undefined) this.#house.authority.changed(agent, user)
    }
  }

  #left(user: string): void {
    const waiting = (this.#waiting.get(user) ?? 1) - 1
    if (waiting > 0) this.#waiting.set(user, waiting)
    else {
      this.#waiting.delete(user)
      this.#erasures.delete(user)
    }
  }

  #inTurn<T>(user: string, work: (docket: Docket) => T | Promise<T>): Promise<T> {
    const erasures = this.#erasures.get(user)
    return this.#turns.take(user, async () => {
      if (this.#erasures.get(user) !== erasures)
        throw new SelfsameError({ code: 'erased', message: 'The user was erased meanwhile.' })
      const [now, dossier] = [this.#house.now(), this.of(user)]
      const passes: Passes = (target, id) => this.#breakers.passes(target, id, now)
      const docket = new Docket(user, dossier, this.#house.archive, now, this.#chance(), passes)
      const result = await work(docket)
      if (!docket.isEmpty) await this.#commit(docket)
      return result
    })
  }

  async #commit(docket: Docket): Promise<void> {
    const { archive, authority } = this.#house
    const before = this.of(docket.user)
    const made = [...docket.kept.keys()].filter(id => !before.kept.has(id)).map(paperOf.handoff)
    const filed = [...made, ...docket.filed]
    const written = new Map<string, unknown>(docket.papers)
    for (const [id, kept] of docket.kept) written.set(paperOf.handoff(id), kept)
    for (const { handoff } of docket.kept.values())
      if (!isOpen(handoff)) written.set(frameKey(handoff), entryOf(handoff))
    for (const [id, work] of docket.works) written.set(paperOf.work(id), work)
    const isStillOpen = [...new Map([...before.kept, ...docket.kept]).values()].some(({ handoff }) => isOpen(handoff))
    try {
      await archive.commit(docket.user, [], () => {
        // What is taken away is taken away before it is written: a commit formed after this one must not rely on it.
        for (const { handoff } of docket.kept.values()) this.#restrict(docket.user, handoff)
        const papers = { written, filed, isOpen: isStillOpen }
        return { evidence: [], outcomes: [], tallies: [], papers, result: undefined }
      })
    } catch (error) {
      for (const { handoff } of before.kept.values()) authority.hold(docket.user, handoff)
      throw error
    }
    const changed = [...docket.kept.values()].map(kept => ({ kept, was: before.kept.get(kept.handoff.id)?.handoff }))
    this.#apply(docket)
    for (const { kept, was } of changed) {
      this.#note(kept, was)
      const { id } = kept.handoff
      for (const each of happenings(kept, docket.was.get(id), docket.measured.get(id))) this.#happened(each)
      this.#tell(kept, was)
    }
  }

  /** What became of it, and whom it gives which authority until when. */
  #note({ user, handoff }: Kept, was: Handoff | undefined): void {
    const { id, grant, state } = handoff
    const known = was?.events.at(-1)
    const events = handoff.events.slice(known ? handoff.events.lastIndexOf(known) + 1 : 0)
    const gains = agentOf(handoff) !== undefined && (!was || !isSameHolding(was, handoff))
    for (const { at, what, by } of events) {
      const isGrant = gains && by === agentOf(handoff)
      const granted = isGrant ? { expires: grant.expires } : {}
      const holder = isGrant && 'holder' in state ? { role: state.holder.role } : {}
      const agent = by === undefined ? {} : { agent: by }
      this.#house.journal.note({
        user,
        at,
        kind: isGrant ? 'grant' : 'handoff',
        what,
        handoff: id,
        ...agent,
        ...holder,
        ...granted,
      })
    }
  }

  /** Tells of all that becomes of handoffs, once it is durable. */
  on(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #happened(happening: Happening): void {
    this.#breakers.heard(happening, this.#chance())
    for (const listener of this.#listeners) listener(happening)
  }

  #restrict(user: string, next: Handoff): void {
    const was = this.of(user).kept.get(next.id)?.handoff
    if (was && !isSameHolding(was, next)) this.#house.authority.release(user, next.id)
  }

  /** From here on it is durable. */
  #apply(docket: Docket): void {
    const before = this.of(docket.user)
    const all = [...new Map([...before.kept, ...docket.kept])]
    const kept = new Map(all.filter(([, each]) => isOpen(each.handoff)))
    const works = new Map([...before.works, ...docket.works])
    const needed = new Set([...kept.values()].map(({ handoff }) => handoff.work))
    for (const id of works.keys()) if (!needed.has(id)) works.delete(id)
    for (const each of before.kept.values()) this.#count(each.handoff, -1)
    for (const each of kept.values()) this.#count(each.handoff, 1)
    if (kept.size > 0) this.#dossiers.set(docket.user, { kept, works })
    else this.#dossiers.delete(docket.user)
    for (const [id, { handoff }] of docket.kept) this.#index(docket.user, id, handoff)
  }

  #index(user: string, id: string, handoff: Handoff): void {
    this.#house.authority.hold(user, handoff)
    this.#held.note(handoff)
    const due = dueOf(handoff)
    if (due === undefined) this.#due.delete(id)
    else this.#due.set(id, due)
    if (isOpen(handoff)) this.#users.set(id, user)
    else this.#users.delete(id)
  }

  #count(handoff: Handoff, by: number): void {
    const { state, from } = handoff
    const agent = state.name === 'accepted' || state.name === 'passing' ? state.holder.agent : from?.agent
    if (agent === undefined) return
    const count = this.openOf(agent) + by
    if (count > 0) this.#perAgent.set(agent, count)
    else this.#perAgent.delete(agent)
  }

  /** Tells of every change of a handoff or its work, also of those that nobody counts, once it is durable. */
  follow(follower: (kept: Kept) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Who lost or gained authority, who is offered it, and those to whom its state matters. */
  #tell(kept: Kept, was: Handoff | undefined): void {
    const { handoff, user } = kept
    if (!was || !isSameHolding(was, handoff))
      for (const agent of new Set([agentOf(was), agentOf(handoff)]))
        if (agent !== undefined) this.#house.authority.changed(agent, user)
    if (handoff.from && stayingAt(was) !== stayingAt(handoff)) this.#house.authority.changed(handoff.from.agent, user)
    const stands = (each: Handoff) => [each.state.name, each.epoch, each.overlap?.until].join()
    if (!was || stands(was) !== stands(handoff)) this.#announce(kept, was)
    tellExchange(this.counter, this.#house.authority, handoff, was)
    for (const follower of this.#followers) follower(kept)
    if (isDelivered(handoff, was)) this.#deliver(kept).catch(this.#house.onFault)
  }

  #announce({ handoff }: Kept, was: Handoff | undefined): void {
    const text = JSON.stringify({ handoff: summaryOf(handoff) })
    for (const agent of new Set([handoff.from?.agent, agentOf(was), agentOf(handoff)]))
      if (agent !== undefined) for (const listener of this.counter.earsOf(agent)) listener.push(text)
  }

  async #deliver(kept: Kept): Promise<void> {
    const target = targetOf(kept.handoff)
    if (!target) return
    const { offersAtOnce } = this.#house.limits
    const picked = this.counter.pick(target, kept.handoff.declined, offersAtOnce)
    const role = this.#house.schema.roles.get(target.role)
    if (!role || (picked.length === 0 && !this.#webhooks.has(role.name))) return
    const offer = await offerOf(this.#house, this.#rooms, kept, role)
    const text = JSON.stringify({ offer })
    for (const listener of picked) listener.push(text)
    this.#webhooks.send(role.name, offer, kept.handoff.epoch)
    this.#happened(deliveredTo(kept, target, picked.length, this.#house.now()))
  }

  /** Someone is there: told at once of what waits for them, oldest first. */
  join(listener: Listener): () => void {
    const leave = this.counter.join(listener)
    this.#offerTo(listener).catch(this.#house.onFault)
    return leave
  }

  async #offerTo(listener: Listener): Promise<void> {
    const { offersOnArrival } = this.#house.limits
    const waiting = [...this.open].filter(kept => isFor(kept, listener.session) && !isHeld(kept))
    const oldest = waiting.sort((a, b) => a.handoff.made - b.handoff.made).slice(0, offersOnArrival)
    for (const kept of oldest) {
      const offer = await offerOf(this.#house, this.#rooms, kept, listener.session.role)
      if (this.of(kept.user).kept.get(kept.handoff.id)?.handoff.state.name === 'offered')
        listener.push(JSON.stringify({ offer }))
    }
  }

  /** What time alone changes. Late is as good as in time: every act takes it into account by itself. */
  tick(): Promise<void> {
    this.#ticking ??= this.#elapse().finally(() => {
      this.#ticking = undefined
    })
    return this.#ticking
  }

  async #elapse(): Promise<void> {
    const now = this.#house.now()
    const due = new Map<string, string[]>()
    for (const [id, time] of this.#due) {
      const user = this.#users.get(id)
      if (time <= now && user !== undefined) due.set(user, [...(due.get(user) ?? []), id])
    }
    const elapse = (docket: Docket, ids: readonly string[]) => ids.forEach(id => void docket.elapse(id))
    await Promise.all([...due].map(([user, ids]) => this.change(user, docket => elapse(docket, ids))))
    await this.#release(now)
  }

  async #release(now: number): Promise<void> {
    this.#breakers.tick(now)
    const due = this.#held.due(this.#breakers, this.#house.limits.offersReleased, now)
    await Promise.all(due.map(id => this.change(this.whose(id), docket => void docket.step(id, { type: 'deliver' }))))
  }

  async idle(): Promise<void> {
    await this.#ticking
    await this.#turns.idle()
  }
}

/** Nobody could show a sign of life while there was no server: leases run anew, and grants do not. */
function regained(handoff: Handoff, now: number): Handoff {
  const { state, policy } = handoff
  if (state.name !== 'accepted' && state.name !== 'passing') return handoff
  return { ...handoff, state: { ...state, lease: Math.max(state.lease, now + policy.lease) } }
}

const isHeld = ({ handoff: { state } }: Kept): boolean => state.name === 'offered' && state.attempt === 0

/** Whether an open handoff is being offered to a session, which has not said no. */
export const isFor = ({ handoff }: Kept, session: Session): boolean => {
  const target = targetOf(handoff)
  return target !== undefined && meets(target, partyOf(session)) && !handoff.declined.includes(session.agent)
}

const agentOf = (handoff: Handoff | undefined): string | undefined =>
  handoff && (handoff.state.name === 'accepted' || handoff.state.name === 'passing')
    ? handoff.state.holder.agent
    : undefined

/** Who has handed it on and is still there. */
const stayingAt = (handoff: Handoff | undefined): string | undefined =>
  handoff && 'holder' in handoff.state && handoff.overlap?.epoch === handoff.epoch
    ? handoff.overlap.with.agent
    : undefined

/** Nobody's authority differs between the two, but for how long the lease runs. */
const isSameHolding = (a: Handoff, b: Handoff): boolean =>
  a.epoch === b.epoch && agentOf(a) === agentOf(b) && a.grant.revoked === b.grant.revoked

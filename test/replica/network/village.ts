import { expect } from 'vitest'
import type { Listed } from '../../../client/fields.ts'
import type { Evidence } from '../../../model/evidence.ts'
import type { Definition } from '../../../model/infer.ts'
import { SelfModel } from '../../../model/self-model.ts'
import type { Json } from '../../../model/value.ts'
import { view } from '../../../model/view.ts'
import type { Session } from '../../../server/access/session.ts'
import type { Limits } from '../../../server/limits.ts'
import type { MemoryDisk } from '../../../server/store/memory-cells.ts'
import { DAY, HOUR } from '../../server/support/clock.ts'
import { vault } from '../../server/support/vault.ts'
import { expectSameView } from '../../world/reading.ts'
import { Peer } from './peer.ts'
import type { Saying, Step } from './schedule.ts'
import { SdkPeer } from './sdk-peer.ts'
import { Site } from './site.ts'

const FIELDS = ['open.mood', 'open.note', 'open.tags', 'open.sum', 'open.day'] as const
const VALUES: Record<(typeof FIELDS)[number], readonly Json[]> = {
  'open.mood': ['calm', 'angry', 'sad'],
  'open.note': ['first', 'second', 'third'],
  'open.tags': ['x', 'y', ['x', 'z']],
  'open.sum': [10, 10.5, 1000],
  'open.day': ['mon', 'tue', 'wed'],
}
const CIRCUMSTANCES = [{}, { interaction: 'i1' }, { interaction: 'i1', task: 't1' }, { source: 's1', task: 't2' }]
const GRANTS = [['open.**'], ['open.**', 'vault.a.**'], ['**'], ['open.mood', 'open.note']]
const RETRACTIONS = [
  { interaction: 'i1' },
  { source: 's1' },
  { agent: 'tom' },
  { field: 'open.mood' },
  { agent: 'kay', field: 'open.tags' },
  { agent: 'rita' },
]
/** Everything a restricted replica must never hear of begins so, and nothing else does. */
export const CANARIES = ['vault', 'hush', 'shade', 'gloom', 'veil']
const HIDDEN = ['vault.a.note', 'vault.a.mark', 'vault.b.mark', 'vault.b.kinds'] as const
const TASKS = [undefined, 't1', 't2']
const LATER = [0, HOUR, DAY, 31 * DAY]

/** A site with people and agents who write, and replicas of several scopes that come and go. */
export class Village {
  readonly site: Site
  /** Raw Yjs documents. */
  readonly peers: readonly Peer[]
  /** Replicas of the SDK. */
  readonly replicas: readonly SdkPeer[]
  /** All that was ever admitted, and never compacted. */
  readonly #whole: SelfModel
  readonly #writers: readonly Session[]
  readonly #shade: Session
  readonly #gloom: Session
  #said = 0
  #hidden = 0

  private constructor(site: Site, replicas: readonly SdkPeer[]) {
    this.site = site
    this.replicas = replicas
    this.#whole = new SelfModel(site.schema)
    this.#writers = [site.session('tom', 'keeper'), site.session('ann', 'person'), site.session('bea', 'person')]
    this.#shade = site.session('shade', 'keeper')
    this.#gloom = site.session('gloom', 'person')
    this.peers = [
      new Peer(site, site.session('rita', 'reader')),
      new Peer(site, site.session('kay', 'keeper')),
      new Peer(site, site.session('kim', 'keeper')),
      new Peer(site, site.session('cleo', 'clerk')),
    ]
  }

  static async found(limits: Partial<Limits> = {}, keys?: MemoryDisk): Promise<Village> {
    const site = await Site.start({ schema: vault, limits, ...(keys && { keys }) })
    const sid = await SdkPeer.settle(site, site.session('sid', 'reader'))
    const kip = await SdkPeer.settle(site, site.session('kip', 'keeper'))
    return new Village(site, [sid, kip])
  }

  async end(): Promise<void> {
    for (const replica of this.replicas) await replica.end()
  }

  get #all(): readonly (Peer | SdkPeer)[] {
    return [...this.peers, ...this.replicas]
  }

  /** Who may read what is open and nothing else, whatever is granted to others. */
  get restricted(): readonly (Peer | SdkPeer)[] {
    return this.#all.filter(({ session }) => session.role.name === 'reader' || session.role.name === 'clerk')
  }

  async live(steps: readonly Step[]): Promise<this> {
    for (const step of steps) await this.#step(step)
    return this
  }

  /** Everybody comes, and everything on the way arrives. */
  async gather(): Promise<this> {
    for (let isMoving = true; isMoving; ) {
      isMoving = false
      for (const peer of this.#all) {
        peer.join()
        for (const way of ['up', 'down'] as const) isMoving = (await peer.flush(way, 100)) || isMoving
        await this.#calm()
      }
    }
    return this
  }

  /** Each replica believes what the server would tell it, now and later, and the server what it was ever told. */
  async expectAgreement(): Promise<void> {
    expect(this.site.faults).toEqual([])
    for (const peer of this.peers) {
      expect(peer.isOnline).toBe(true)
      expect([...peer.outbox.keys()]).toEqual([])
      expect(peer.doc.store.pendingStructs).toBeNull()
      this.#expectSameBeliefs(peer)
      const fresh = new Peer(this.site, peer.session)
      fresh.join()
      while (fresh.flush('up', 9) || fresh.flush('down', 9)) await this.#calm()
      expect(peer.evidence).toEqual(fresh.evidence)
      fresh.cut()
    }
    for (const peer of this.replicas) this.#expectSameReads(peer)
  }

  /** What the SDK computes where the replica is, read by read. */
  #expectSameReads(peer: SdkPeer): void {
    expect(peer.replica.state).toEqual({ name: 'live' })
    expect(peer.replica.waiting).toBe(0)
    const scope = this.site.scope(peer.session)
    for (const later of LATER)
      for (const task of TASKS) {
        const question = { time: this.site.clock.now() + later, ...(task !== undefined && { task }) }
        expect(peer.beliefsAt(later, task)).toEqual(view(this.site.room.model, scope, question))
      }
  }

  #expectSameBeliefs({ session, evidence }: Peer): void {
    const scope = this.site.scope(session)
    const replica = new SelfModel(this.site.schema, Object.values(evidence))
    for (const { name } of replica.fields) expect(scope.read.has(name)).toBe(true)
    for (const later of LATER)
      for (const task of TASKS) {
        const question = { time: this.site.clock.now() + later, ...(task !== undefined && { task }) }
        const served = view(this.site.room.model, scope, question)
        expect(view(replica, scope, question)).toEqual(served)
        expectSameView(served, view(this.#whole, scope, question))
      }
  }

  async #calm(): Promise<void> {
    await this.site.calm()
    for (const piece of this.site.room.model.evidence) if (isOriginal(piece)) this.#whole.add(piece)
  }

  async #step(step: Step): Promise<void> {
    await this.#do(step)
    await this.#calm()
  }

  async #do(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'say':
        return this.site.write(this.#writer(step.who), 'observation', this.#observation(step, `s${++this.#said}`))
      case 'retract':
        return this.site.write(this.#writer(1 + step.who), 'retraction', {
          id: `s${++this.#said}`,
          ...RETRACTIONS[step.of],
        })
      case 'hide':
        return this.hide(step.what, step.times)
      case 'post':
        return this.#peer(step.peer).post(`k${++this.#said}`, this.#observation(step, `o${step.id}`))
      case 'flush':
        return this.#peer(step.peer).flush(step.way, step.count)
      case 'join':
        return this.#peer(step.peer).join()
      case 'cut':
        return this.#peer(step.peer).cut()
      case 'copy':
        return this.#peer(step.peer).keepCopy()
      case 'putBack':
        return this.#peer(step.peer).putBack(step.copy)
      case 'grant':
        for (const which of [2, 5]) this.site.scopes.grant(this.#peer(which).session, GRANTS[step.fields] ?? [])
        return
      case 'wait':
        return this.site.clock.advance(step.time)
      case 'restart':
        for (const peer of this.#all) peer.cut()
        return this.site.restart(step.how)
      case 'note':
        return this.site.settle()
    }
  }

  /** What no restricted reader may notice: words, corrections, denials and retractions of hidden fields. */
  async hide(what: number, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const id = `hush${++this.#hidden}`
      const [field, circumstance] = [HIDDEN[(what + i) % HIDDEN.length], { interaction: `veil${what}`, source: 'veil' }]
      const word = { id, field, value: id, ...circumstance }
      if (what === 5) await this.site.write(this.#gloom, 'retraction', { id, agent: 'shade', why: 'hush' })
      else if (what === 4) await this.site.write(this.#gloom, 'retraction', { id, interaction: `veil${i}` })
      else if (what === 3) await this.site.write(this.#gloom, 'observation', { ...word, not: true, confidence: 0.9 })
      else await this.site.write(this.#shade, 'observation', { ...word, why: 'hush' })
    }
  }

  #observation({ field, value, not, sure, ago, circumstance }: Saying, id: string): Listed<Definition> {
    const name = FIELDS[field] ?? 'open.mood'
    const said = VALUES[name][value] ?? null
    return {
      id,
      field: name,
      value: said,
      ...(not && !Array.isArray(said) && { not }),
      confidence: sure ? 0.9 : 0.4,
      at: this.site.clock.now() - ago,
      ...CIRCUMSTANCES[circumstance],
    }
  }

  #writer = (who: number): Session => this.#writers[who % this.#writers.length] as Session

  #peer = (which: number): Peer | SdkPeer => this.#all[which % this.#all.length] as Peer | SdkPeer
}

const isOriginal = (piece: Evidence): boolean => piece.type === 'word' || piece.type === 'retraction'

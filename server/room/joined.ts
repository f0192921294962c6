import type { Evidence } from '../../model/evidence.ts'
import type { Schema } from '../../model/schema.ts'
import type { Scope } from '../../model/scope.ts'
import { SelfModel } from '../../model/self-model.ts'
import type { Head } from '../store/storage.ts'
import { modelOf } from './circumstance.ts'
import { oneOfEach, stands } from './one-of-each.ts'

/** What is read of another name. */
interface OtherRoom {
  readonly user: string
  readonly own: SelfModel
  readonly head: Head
  lastReadable(scope: Scope): number
}

interface Name {
  readonly room: OtherRoom
  readonly leave: () => void
}

/** What was said of a user, and the other names of the same person: rooms of their own, read as one with this one. */
export class Joined {
  readonly #names = new Map<string, Name>()
  /** What is heard of other names while all is being put together. */
  #meanwhile: (() => void)[] | undefined
  #own: SelfModel
  #all: SelfModel

  constructor(own: SelfModel) {
    this.#own = own
    this.#all = own
  }

  get own(): SelfModel {
    return this.#own
  }

  /** With all that was said under the other names; the same as `own` when there are none. */
  get all(): SelfModel {
    return this.#all
  }

  alone(own: SelfModel): void {
    this.#own = own
    this.#all = own
  }

  /** Puts all together anew. What is heard meanwhile waits for `goOn`. */
  async putTogether(own: SelfModel, schema: Schema): Promise<SelfModel> {
    this.#meanwhile = []
    const all = oneOfEach([...own.evidence, ...this.evidence()]).values()
    this.#all = this.size === 0 ? own : await modelOf(schema, all)
    this.#own = own
    return this.#all
  }

  goOn(): void {
    const meanwhile = this.#meanwhile ?? []
    this.#meanwhile = undefined
    for (const heard of meanwhile) heard()
  }

  hear(take: () => void): void {
    if (this.#meanwhile) this.#meanwhile.push(take)
    else take()
  }

  /**
   * Takes a piece in. True when it had to take the place of another: two names may have been told the same under one id,
   * and of the two the same one stands as after a restart.
   */
  unite(piece: Evidence): boolean {
    const known = this.#all === this.#own ? undefined : this.#all.get(piece.id)
    if (!known || !stands(piece, known)) {
      if (this.#all !== this.#own) this.#all.add(piece)
      return false
    }
    const others = [...this.#all.evidence].map(other => (other === known ? piece : other))
    this.#all = new SelfModel(this.#all.schema, others)
    return true
  }

  get size(): number {
    return this.#names.size
  }

  has(alias: string): boolean {
    return this.#names.has(alias)
  }

  add(room: OtherRoom, leave: () => void): void {
    this.#names.set(room.user, { room, leave })
  }

  remove(alias: string): void {
    this.#names.get(alias)?.leave()
    this.#names.delete(alias)
  }

  clear(): void {
    for (const alias of [...this.#names.keys()]) this.remove(alias)
  }

  /** All that is known under them, each piece with the name it was said under. */
  *evidence(): Iterable<Evidence> {
    for (const [alias, { room }] of this.#names) for (const piece of room.own.evidence) yield said(alias, piece)
  }

  /** How many writes they have had altogether. */
  get seq(): number {
    return this.#sum(room => room.head.seq)
  }

  lastReadable(scope: Scope): number {
    return this.#sum(room => room.lastReadable(scope))
  }

  #sum(of: (room: OtherRoom) => number): number {
    let sum = 0
    for (const { room } of this.#names.values()) sum += of(room)
    return sum
  }
}

export const said = (alias: string, piece: Evidence): Evidence => ({ ...piece, origin: alias })

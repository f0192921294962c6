import { SelfsameError, unwrap } from '../../model/error.ts'
import { type Handoff, isDelivered } from '../../model/handoff/handoff.ts'
import { type Passes, routed } from '../../model/handoff/route.ts'
import { type Act, elapse, step } from '../../model/handoff/step.ts'
import type { Work } from '../../model/handoff/work.ts'
import type { Archive } from '../store/archive.ts'
import type { Measured } from './happening.ts'
import { asKept, asWork, type Kept, paperOf } from './kept.ts'

/** What is open of one user, as it is on disk. */
export interface Dossier {
  readonly kept: ReadonlyMap<string, Kept>
  readonly works: ReadonlyMap<string, Work>
}

export const EMPTY: Dossier = { kept: new Map(), works: new Map() }

/** Changes of one user's handoffs in the making: they are written all together or not at all. */
export class Docket {
  readonly user: string
  readonly now: number
  readonly chance: number
  readonly kept = new Map<string, Kept>()
  readonly works = new Map<string, Work>()
  /** As each that is changed was before. */
  readonly was = new Map<string, Handoff>()
  readonly papers = new Map<string, unknown>()
  /** Papers, besides handoffs, by whose ids the user is to be found. */
  readonly filed: string[] = []
  /** What new holders got, by handoff. */
  readonly measured = new Map<string, Measured>()
  readonly #dossier: Dossier
  readonly #passes: Passes
  readonly #archive: Archive

  constructor(
    user: string,
    dossier: Dossier,
    archive: Archive,
    now: number,
    chance: number,
    passes: Passes = () => true,
  ) {
    this.#passes = passes
    this.user = user
    this.now = now
    this.chance = chance
    this.#dossier = dossier
    this.#archive = archive
  }

  get isEmpty(): boolean {
    return this.kept.size + this.works.size + this.papers.size === 0
  }

  /** How many are open already. */
  get size(): number {
    return this.#dossier.kept.size
  }

  find(id: string): Kept | undefined {
    return (
      this.kept.get(id) ?? this.#dossier.kept.get(id) ?? asKept(this.#archive.paper(this.user, paperOf.handoff(id)))
    )
  }

  get(id: string): Kept {
    const found = this.find(id)
    if (!found) throw new SelfsameError({ code: 'handoff_unavailable', message: 'No such handoff that you may see.' })
    return found
  }

  work(id: string): Work {
    const found =
      this.works.get(id) ?? this.#dossier.works.get(id) ?? asWork(this.#archive.paper(this.user, paperOf.work(id)))
    if (!found) throw new Error(`The work ${id} of a handoff is not there.`)
    return found
  }

  put(kept: Kept): Kept {
    this.kept.set(kept.handoff.id, kept)
    return kept
  }

  /** Puts an act in; a handoff that it leaves as it is needs no writing. */
  step(id: string, act: Act): Kept {
    const kept = this.get(id)
    return this.#moved(kept, unwrap(step(kept.handoff, act, this.now, this.chance)))
  }

  /** Where a delivery goes, as things are. */
  routed(handoff: Handoff, was?: Handoff): Handoff {
    return isDelivered(handoff, was) ? routed(handoff, this.#passes, this.now, this.chance) : handoff
  }

  /** What time alone has changed. */
  elapse(id: string): Kept {
    const kept = this.get(id)
    return this.#moved(kept, elapse(kept.handoff, this.now, this.chance))
  }

  #moved(kept: Kept, handoff: Handoff): Kept {
    if (handoff === kept.handoff) return kept
    const next = this.routed(handoff, kept.handoff)
    if (!this.kept.has(handoff.id)) this.was.set(handoff.id, kept.handoff)
    return this.put({ ...kept, handoff: next })
  }
}

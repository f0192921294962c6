import { type Handoff, isOpen } from '../../model/handoff/handoff.ts'
import type { Docket } from '../handoff/docket.ts'
import type { Keeper } from '../handoff/keeper.ts'
import { asKept, HANDOFFS, type Kept, paperOf } from '../handoff/kept.ts'
import type { House } from '../room/house.ts'

/** What one look takes away of the audit, and how many users it looks at. The rest waits for the next. */
const ENTRIES = 1_000
const USERS = 100
const DAY = 86_400_000

/**
 * Takes away what is kept longer than the schema says: the audit, frames of handoffs that are over, outcomes in the
 * ledger. Some at a time, so that nobody waits for it, and each time it is noted in the audit.
 */
export class Retention {
  readonly #house: House
  readonly #keeper: Keeper
  #users: string[] = []
  #looking: Promise<void> | undefined

  constructor(house: House, keeper: Keeper) {
    this.#house = house
    this.#keeper = keeper
  }

  /** One look. Who asks while there is one waits for that. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async idle(): Promise<void> {
    await this.#looking
  }

  async #look(): Promise<void> {
    await this.#forgetAudit()
    if (this.#users.length === 0) this.#users = [...this.#house.archive.users().users]
    for (const user of this.#users.splice(0, USERS)) await this.#lookAt(user)
  }

  /** By whole days: entries of a day may name each other. */
  async #forgetAudit(): Promise<void> {
    const { archive, schema, now } = this.#house
    const time = now()
    const before = Math.floor((time - schema.settings.retention.audit) / DAY) * DAY
    if (!(before > 0)) return
    this.#note('audit', await archive.audit.forget(before, ENTRIES, time))
  }

  async #lookAt(user: string): Promise<void> {
    const { archive, schema, now } = this.#house
    const { frames, ledger } = schema.settings.retention
    if (!archive.knows(user)) return
    const old = this.#over(user).filter(({ handoff }) => endOf(handoff) < now() - frames)
    if (old.length > 0) {
      await this.#keeper.change(user, docket => this.#removeFrames(docket, old))
      this.#note('frames', old.length, user)
    }
    if (Number.isFinite(ledger)) await archive.forget(user, now() - ledger)
  }

  #over(user: string): Kept[] {
    const all = [...this.#house.archive.papers(user, HANDOFFS)].flatMap(([, paper]) => asKept(paper) ?? [])
    return all.filter(({ handoff }) => !isOpen(handoff))
  }

  /** Work goes with the last of its handoffs. */
  #removeFrames(docket: Docket, old: readonly Kept[]): void {
    const { archive } = this.#house
    const gone = new Set(old.map(({ handoff }) => handoff.id))
    for (const { handoff } of old) {
      docket.papers.set(paperOf.handoff(handoff.id), undefined)
      for (let epoch = 0; epoch <= handoff.epoch; epoch++)
        if (archive.paper(docket.user, paperOf.view(handoff.id, epoch)) !== undefined)
          docket.papers.set(paperOf.view(handoff.id, epoch), undefined)
    }
    const papers = [...archive.papers(docket.user, HANDOFFS)].flatMap(([, paper]) => asKept(paper) ?? [])
    const needed = new Set(papers.filter(({ handoff }) => !gone.has(handoff.id)).map(({ handoff }) => handoff.work))
    for (const { handoff } of old)
      if (!needed.has(handoff.work)) docket.papers.set(paperOf.work(handoff.work), undefined)
  }

  #note(what: string, count: number, user?: string): void {
    const { journal, now } = this.#house
    if (count > 0) journal.note({ at: now(), kind: 'retention', what, count, ...(user !== undefined && { user }) })
  }
}

const endOf = ({ made, events }: Handoff): number => Math.max(made, ...events.map(({ at }) => at))

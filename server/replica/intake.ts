import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Item } from '../room/commit.ts'
import type { Room } from '../room/room.ts'
import type { Entry, Inbound, Run } from './inbound.ts'
import { itemIn } from './outbox.ts'
import type { Receipt } from './receipts.ts'

/** Entries of which a connection remembers that it took them. One that is forgotten and sent again counts once, by the ledger. */
const MAX_TAKEN = 4_096

/** Who writes, where, and how it hears of it. */
export interface Writer {
  readonly session: Session
  readonly room: Room
  readonly keeper: Doorkeeper
  /** Entries of one commit, and of one connection that may be unsettled before it has to wait. */
  readonly atOnce: number
  /** Whether it is still there and its token still good; looked at before each commit. */
  readonly mayWrite: () => boolean
  readonly tell: (receipts: readonly Receipt[]) => void
  /** All that was taken up so far, these runs included, has its receipts. */
  readonly settled: (runs: readonly Run[]) => void
  readonly fail: (error: unknown) => void
}

/** What one replica wants observed: each entry is admitted once and has its receipt, some at a time. */
export class Intake {
  readonly #writer: Writer
  /** Places of entries that have their receipt, or will have it. */
  readonly #taken = new Set<string>()
  readonly #waiting = new Set<() => void>()
  #unsettled = 0
  /** Whether all that was taken up so far has its receipts. */
  #receipted: Promise<boolean> = Promise.resolve(true)

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** A promise when so much is unsettled that nothing more should be taken up before. */
  take({ entries, runs }: Inbound): Promise<void> | undefined {
    const fresh = entries.filter(entry => this.#isNew(entry))
    this.#unsettled += fresh.length
    this.#receipted = Promise.all([this.#receipted, this.#settle(fresh)]).then(all => all.every(Boolean))
    this.#receipted.then(isDone => isDone && this.#writer.settled(runs)).catch(this.#writer.fail)
    return this.#unsettled > this.#writer.atOnce ? this.#until(() => this.#unsettled <= this.#writer.atOnce) : undefined
  }

  /** Settles when nothing is unsettled any more. */
  async settled(): Promise<void> {
    if (this.#unsettled > 0) await this.#until(() => this.#unsettled === 0)
  }

  #until(isDone: () => boolean): Promise<void> {
    return new Promise(resolve => {
      const look = () => {
        if (!isDone()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
    })
  }

  #isNew(entry: Entry): boolean {
    const place = `${entry.client}.${entry.clock}`
    if (this.#taken.has(place)) return false
    this.#taken.add(place)
    for (const oldest of this.#taken) {
      if (this.#taken.size <= MAX_TAKEN) break
      this.#taken.delete(oldest)
    }
    return true
  }

  /** False when it may not write any more. */
  async #settle(entries: readonly Entry[]): Promise<boolean> {
    let left = entries.length
    try {
      while (left > 0) {
        if (!this.#writer.mayWrite()) return false
        const from = entries.length - left
        const some = entries.slice(from, from + this.#writer.atOnce)
        this.#writer.tell(await this.#admit(some))
        left -= some.length
        this.#release(some.length)
      }
      return true
    } finally {
      this.#release(left)
    }
  }

  #release(count: number): void {
    this.#unsettled -= count
    for (const look of [...this.#waiting]) look()
  }

  async #admit(entries: readonly Entry[]): Promise<Receipt[]> {
    const read = entries.map(entry => ({ entry, item: itemIn(entry) }))
    const outcomes = await this.#submit(read.flatMap(({ item }) => (isItem(item) ? [item] : [])))
    let next = 0
    return read.map(({ entry, item }) => {
      const outcome = isItem(item) ? outcomes[next++] : undefined
      if (outcome) return { entry, outcome }
      return { entry, outcome: { status: 'refused', ...(!isItem(item) && { error: item }) } }
    })
  }

  async #submit(items: readonly Item[]): ReturnType<Room['submit']> {
    if (items.length === 0) return []
    const { session, room, keeper } = this.#writer
    const done = keeper.begin('replica', 'observe', session)
    try {
      const outcomes = await room.submit({ session, items, atomic: false })
      done()
      return outcomes
    } catch (error) {
      done(keeper.refusalOf(error).code)
      throw error
    }
  }
}

const isItem = (item: ReturnType<typeof itemIn>): item is Item => 'kind' in item

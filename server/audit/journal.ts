import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Schema } from '../../model/schema.ts'
import type { AuditKind } from '../../model/wire/audit.ts'
import type { Session } from '../access/session.ts'
import type { Audit } from './audit.ts'
import type { Denial } from './denial.ts'
import type { Details, Note } from './note.ts'

/** Notes that wait to be written: from the first bound on readers wait, at the second what nobody waits for is counted only. */
const MAX_WAITING = 131_072
const MAX_UNREAD = 2 * MAX_WAITING
/** Notes that are sealed between two breaths of the event loop. */
const SLICE = 64
/** Milliseconds between two slices while nobody waits for them: reads come first. */
const BREATH = 4
const MAX_REMEMBERED = 100_000
const FLUSH_EVERY = 250
const MINUTE = 60_000
const DAY = 86_400_000

/** Something that was shown: the same object for as long as the same is shown. */
export interface Shown {
  readonly view: ReadonlyMap<string, unknown>
}

/** Fields by name, and what stands for all of them. */
interface List {
  readonly fields: readonly string[]
  readonly digest: string
}

interface Waiting {
  readonly note: Note
  /** Looked at when it is written: a list of hundreds is nothing for the way of a read. */
  readonly list?: () => List
  /** Alike notes of one minute are written once. */
  readonly key: string | undefined
}

export interface JournalPlace {
  readonly audit: Audit
  readonly schema: () => Schema
  readonly now: () => number
  readonly handoffOf: (session: Session, user: string) => string | undefined
  readonly onFault: (error: unknown) => void
}

/**
 * Takes notes for the audit and writes them behind, so that nobody waits for them, but for those who are shown a secret
 * field: they are answered when it is on disk that they were. What one agent read of one user within a minute, by the
 * same handoff and of the same fields, is one entry.
 */
export class Journal {
  readonly #place: JournalPlace
  readonly #withSecrets = new WeakMap<Schema, boolean>()
  readonly #secrets = new WeakMap<Shown, boolean>()
  readonly #readers = new WeakMap<Shown, Set<Session>>()
  readonly #shownLists = new WeakMap<Shown, List>()
  readonly #lists = new LRUCache<string, number>({ max: MAX_REMEMBERED })
  #waiting: Waiting[] = []
  #missed = 0
  #isAwaited = false
  #noted = new Set<string>()
  #minute = 0
  #day = 0
  #timer: NodeJS.Timeout | undefined
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()
  #signed = 0

  constructor(place: JournalPlace) {
    this.#place = place
    this.#signed = place.audit.last
  }

  /** Says that the process has begun, which tells a crash from a stop. */
  async begin(): Promise<void> {
    await this.#place.audit.append([{ at: this.#place.now(), kind: 'audit', what: 'start' }], 'start')
  }

  /** A view was shown. A promise when the answer has to wait for it. */
  showed(session: Session, user: string, what: string, shown: Shown, handoff?: string): Promise<void> | undefined {
    const readers = this.#readers.get(shown) ?? new Set()
    if (!readers.has(session) || handoff !== undefined) {
      this.#readers.set(shown, readers.add(session))
      this.#read(session, user, what, () => this.#listOf(shown), handoff)
    }
    return this.#hasSecrets() && this.#isSecret(shown) ? this.flush() : this.#pressure()
  }

  /** Fields were shown. */
  showedFields(session: Session, user: string, what: string, fields: readonly string[]): Promise<void> | undefined {
    if (fields.length === 0) return undefined
    this.#read(session, user, what, () => listOf(fields))
    return this.#hasSecrets() && fields.some(field => this.#isSecretField(field)) ? this.flush() : this.#pressure()
  }

  #read(session: Session, user: string, what: string, list: () => List, handoff?: string): void {
    const { now, handoffOf } = this.#place
    const under = handoff ?? handoffOf(session, user)
    const { agent, role } = session
    const key = `${agent}\n${role.name}\n${user}\n${under ?? ''}\n${what}`
    const handed = under === undefined ? {} : { handoff: under }
    this.#take({ note: { user, at: now(), kind: 'read', agent, role: role.name, what, ...handed }, list, key })
  }

  #listOf(shown: Shown): List {
    const list = this.#shownLists.get(shown) ?? listOf([...shown.view.keys()])
    this.#shownLists.set(shown, list)
    return list
  }

  /** Something else that an agent did to a user, or tried to. */
  did(session: Session, user: string | undefined, kind: AuditKind, more: Omit<Details, 'kind'> = {}): void {
    const { agent, role } = session
    const whom = user ?? (role.reach === 'self' ? agent : undefined)
    this.note({
      at: this.#place.now(),
      kind,
      agent,
      role: role.name,
      ...more,
      ...(whom !== undefined && { user: whom }),
    })
  }

  /** Filed with whom it concerns. Of someone unknown there is nothing to file it with, and no id is written down. */
  denied({ session, what, user, code }: Denial): void {
    const { now, audit } = this.#place
    const isSelf = session?.role.reach === 'self'
    const whom = [isSelf ? session?.agent : undefined, user].find(each => each !== undefined && audit.knows(each))
    const who = session && { role: session.role.name, ...((!isSelf || whom !== undefined) && { agent: session.agent }) }
    this.note({ at: now(), kind: 'denial', what, code, ...who, ...(whom !== undefined && { user: whom }) })
  }

  note(note: Note): void {
    const { kind, agent, user, what, code, handoff } = note
    const isAlike = kind === 'denial' || (kind === 'read' && !note.fields)
    const key = isAlike ? [kind, agent, user, what, code, handoff].join('\n') : undefined
    this.#take({ note, key })
  }

  #take(waiting: Waiting): void {
    if (this.#waiting.length >= MAX_UNREAD) {
      this.#missed++
      return
    }
    this.#waiting.push(waiting)
    this.#timer ??= setTimeout(() => this.#flush().catch(this.#place.onFault), FLUSH_EVERY)
  }

  #pressure(): Promise<void> | undefined {
    return this.#waiting.length >= MAX_WAITING ? this.flush() : undefined
  }

  /** What waits of a user that is being erased is not written any more. */
  forget(user: string): void {
    this.#waiting = this.#waiting.filter(({ note }) => note.user !== user)
    this.#noted = new Set()
    this.#lists.clear()
  }

  /** Settles when all that was noted so far is on disk. */
  flush(): Promise<void> {
    this.#isAwaited = true
    return this.#flush()
  }

  #flush(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#next) return this.#last
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#next ??= this.#start()
    return this.#next
  }

  async #start(): Promise<void> {
    await this.#last.catch(() => undefined)
    this.#next = undefined
    this.#last = this.#write()
    await this.#last
  }

  async #write(): Promise<void> {
    if (this.#missed > 0) this.#waiting.push({ note: this.#gap(), key: undefined })
    this.#missed = 0
    while (this.#waiting.length > 0) {
      await this.#append(this.#waiting.splice(0, SLICE))
      if (!this.#isAwaited) await sleep(BREATH)
    }
    this.#isAwaited = false
  }

  #gap(): Note {
    return { at: this.#place.now(), kind: 'gap', what: 'too much at once', count: this.#missed }
  }

  async #append(waiting: readonly Waiting[]): Promise<void> {
    const fresh = waiting.flatMap(each => this.#once(each))
    const lists: [string, number][] = []
    const details = fresh.map(({ note, list }, i) => {
      if (!list) return note
      const name = `${note.user}\n${list.digest}`
      const as = this.#lists.get(name)
      if (as !== undefined) return { ...note, as }
      lists.push([name, i])
      return { ...note, fields: list.fields }
    })
    const numbers = await this.#place.audit.append(details)
    for (const [name, i] of lists) {
      const number = numbers[i]
      if (number !== undefined) this.#lists.set(name, number)
    }
  }

  /** The note and its fields, unless it was written in this minute. */
  #once(waiting: Waiting): { note: Note; list: List | undefined }[] {
    const { note, key } = waiting
    const list = waiting.list?.()
    this.#turnTo(note.at)
    const name = `${key}\n${list?.digest ?? ''}`
    if (key !== undefined && this.#noted.has(name)) return []
    if (key !== undefined) this.#noted.add(name)
    return [{ note, list }]
  }

  /** Lists are named by entries of the same day only, so that what retention takes away is never pointed to. */
  #turnTo(at: number): void {
    const minute = Math.floor(at / MINUTE)
    if (minute !== this.#minute || this.#noted.size >= MAX_REMEMBERED) this.#noted = new Set()
    this.#minute = minute
    const day = Math.floor(at / DAY)
    if (day !== this.#day) this.#lists.clear()
    this.#day = day
  }

  /** To be called each minute: signs how far the audit has come, if it has. */
  async sign(): Promise<void> {
    await this.flush()
    const { audit, now } = this.#place
    if (audit.last === this.#signed) return
    this.#signed = audit.last
    await audit.signHead(now())
  }

  /** Nothing is noted from now on. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.flush()
    const { audit, now } = this.#place
    await audit.append([{ at: now(), kind: 'audit', what: 'stop' }], 'stop')
    await audit.signHead(now())
  }

  #isSecret(shown: Shown): boolean {
    const known = this.#secrets.get(shown)
    if (known !== undefined) return known
    const isSecret = [...shown.view.keys()].some(field => this.#isSecretField(field))
    this.#secrets.set(shown, isSecret)
    return isSecret
  }

  #hasSecrets(): boolean {
    const schema = this.#place.schema()
    const known = this.#withSecrets.get(schema)
    if (known !== undefined) return known
    const has = [...schema.fields.values()].some(({ sensitivity }) => sensitivity === 'secret')
    this.#withSecrets.set(schema, has)
    return has
  }

  #isSecretField(field: string): boolean {
    return this.#place.schema().field(field)?.sensitivity === 'secret'
  }
}

const listOf = (fields: readonly string[]): List => ({
  fields,
  digest: createHash('sha256').update(fields.join('\n')).digest('base64'),
})

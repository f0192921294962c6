import fc from 'fast-check'
import { expect } from 'vitest'
import * as Y from 'yjs'
import { unwrap } from '../../model/error.ts'
import type { Evidence } from '../../model/evidence.ts'
import { parseModel } from '../../model/schema.ts'
import { importUser } from '../../server/operation/exported.ts'
import { readStateVector } from '../../server/replica/state-vector.ts'
import { Keyring } from '../../server/store/keyring.ts'
import { MemoryDisk } from '../../server/store/memory-cells.ts'
import { slowLaw } from '../law.ts'
import { vault } from '../server/support/vault.ts'
import { schedules } from './network/schedule.ts'
import { type Site, USER } from './network/site.ts'
import { Village } from './network/village.ts'

const LIMITS = { writesPerFold: 24, wordsPerFold: 6 }

/** The whole document as it would be sent to who may read all of it and has nothing. */
function stateOf(site: Site): Uint8Array {
  const state = site.room.document.state(site.scope(site.session('eve', 'keeper')), new Map())
  if (!state) throw new Error('Who has nothing need not start afresh.')
  return state
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

slowLaw(
  '[REP-56] a document made anew from what is stored is, byte for byte, the one that was led through every write and fold',
  1,
  schedules,
  async steps => {
    const village = await Village.found(LIMITS)
    const { site } = village
    const led = site.room.document
    await village.live(steps.filter(step => step.do !== 'restart' && step.do !== 'cut'))
    for (const how of ['orderly', 'crash'] as const) {
      const before = hex(stateOf(site))
      for (const peer of village.peers) peer.cut()
      await site.restart(how)
      expect(site.room.document).not.toBe(led)
      expect(hex(stateOf(site))).toBe(before)
    }
  },
)

/** What every place of a document was ever seen to hold. */
class Places {
  readonly #held = new Map<string, unknown>()
  readonly #next = new Map<number, number>()
  readonly #gone = new Set<string>()

  note(state: Uint8Array): void {
    const doc = new Y.Doc()
    Y.applyUpdate(doc, state)
    const now = new Map(Object.entries(doc.getMap('evidence').toJSON()))
    for (const [key, value] of now) {
      expect(this.#gone.has(key)).toBe(false)
      expect(value).toEqual(this.#held.get(key) ?? value)
      this.#held.set(key, value)
    }
    const next = readStateVector(Y.encodeStateVector(doc))
    for (const [author, clock] of next) expect(clock).toBeGreaterThanOrEqual(this.#next.get(author) ?? 0)
    for (const [author, clock] of next) this.#next.set(author, clock)
    for (const key of this.#held.keys()) if (!now.has(key) && next.has(Number.parseInt(key, 36))) this.#gone.add(key)
  }
}

const otherSchema = unwrap(
  parseModel({
    ...(vault.definition as object),
    fields: { ...(vault.definition as { fields: object }).fields, 'open.more': { kind: 'flag' } },
  }),
)

type Turn = 'none' | 'schema' | 'import' | 'damage'

async function turn(site: Site, kind: Turn, keys: MemoryDisk, earlier: readonly Evidence[]): Promise<void> {
  switch (kind) {
    case 'none':
      return
    case 'schema':
      return site.restart('orderly', site.schema === vault ? otherSchema : vault)
    case 'import':
      await importUser(site.archive, { user: USER, evidence: earlier })
      return site.restart('crash')
    case 'damage':
      return site.restart('orderly', site.schema, async () => damage(site, keys))
  }
}

/** One byte of the first record of the log. */
function damage({ store }: Site, keys: MemoryDisk): void {
  const owner = Keyring.inMemory(keys).keyOf(USER)?.name ?? ''
  const [first] = store.cells('log', owner)
  if (first) store.apply([{ table: 'log', owner, item: first[0], value: first[1].map(byte => byte ^ 1) }])
}

slowLaw(
  '[REP-57] no author and clock ever mean two things, and none is given twice: not through folds, restarts, another schema, imports or damage',
  1,
  fc.array(fc.tuple(schedules, fc.constantFrom<Turn[]>('none', 'schema', 'import', 'import', 'damage')), {
    minLength: 2,
    maxLength: 4,
    size: 'max',
  }),
  async chapters => {
    const keys = new MemoryDisk()
    const village = await Village.found(LIMITS, keys)
    const places = new Places()
    let earlier: readonly Evidence[] = []
    for (const [steps, kind] of chapters) {
      for (const step of steps.slice(0, 30)) {
        await village.live([step])
        places.note(stateOf(village.site))
      }
      for (const peer of village.peers) peer.cut()
      const exported = [...village.site.room.model.evidence]
      await turn(village.site, kind, keys, earlier)
      earlier = exported
      places.note(stateOf(village.site))
    }
  },
)

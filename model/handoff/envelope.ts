import { ok, type Result, refuse } from '../error.ts'
import type { Scope } from '../scope.ts'
import { type Json, keyOf } from '../value.ts'
import { isReadable } from './readable.ts'

/**
 * What a handoff carries, frozen when it is made. It is a list of sections, each tagged with the fields it speaks of. Each
 * section is hashed with a salt of its own, and the envelope's root is the hash of all leaves:
 *
 *     leaf = hash(salt · name · fields · body)          root = hash(version · handoff · previous root · leaves, sorted)
 *
 * There are always as many leaves, filled up with chance, and they are sorted. So whoever gets some of the sections can
 * verify each of them, and learns nothing of the others: not what they say, for a guess lacks the salt, nor how many there are.
 */
export interface Envelope extends Sealed {
  readonly sections: readonly Section[]
}

export interface Sealed {
  readonly version: string
  readonly handoff: string
  readonly id: string
  /** Root of the envelope before it in the chain; null for the first. */
  readonly previous: string | null
  readonly root: string
  readonly leaves: readonly string[]
}

export interface Section {
  readonly name: string
  readonly fields: readonly string[]
  readonly body: Json
  readonly salt: string
}

export type Unsalted = Omit<Section, 'salt'>

export const VERSION = '1.0'
const [MAJOR, MINOR] = [1, 0]
export const LEAVES = 64

/** A digest of a text, as text. */
export type Digest = (text: string) => string

/** What only the keeper of the user's key can make. */
export interface Sealing {
  readonly digest: Digest
  /** Keyed digest. */
  readonly mac: Digest
}

export function sealEnvelope(
  handoff: string,
  previous: string | null,
  version: string,
  given: readonly Unsalted[],
  { digest, mac }: Sealing,
): Envelope {
  const grouped = within(given)
  const salted = grouped.map((section, i): Section => ({ ...section, salt: mac(`salt\n${handoff}\n${i}`) }))
  const filling = Array.from({ length: LEAVES - salted.length }, (_, i) => mac(`leaf\n${handoff}\n${i}`))
  const leaves = [...salted.map(section => leafOf(section, digest)), ...filling].sort()
  const root = rootOf({ version, handoff, previous, leaves }, digest)
  return { version, handoff, id: mac(`envelope\n${root}`), previous, root, leaves, sections: salted }
}

/** The same for who may read less. It still verifies. */
export const projected = (envelope: Envelope, scope: Scope): Envelope => ({
  ...envelope,
  sections: envelope.sections.filter(({ fields }) => isReadable(scope, fields)),
})

/** Whether every section is one that the envelope was made with, and the envelope the one that follows the given root. */
export function verifies(envelope: Envelope, digest: Digest, previous?: string | null): boolean {
  const { version, handoff, leaves, root, sections } = envelope
  const known = new Set(leaves)
  return (
    leaves.length === LEAVES &&
    root === rootOf({ version, handoff, previous: envelope.previous, leaves }, digest) &&
    sections.every(section => known.has(leafOf(section, digest))) &&
    (previous === undefined || previous === envelope.previous)
  )
}

const leafOf = ({ salt, name, fields, body }: Section, digest: Digest): string =>
  digest(keyOf([salt, name, [...fields], body]))

const rootOf = (
  { version, handoff, previous, leaves }: Pick<Envelope, 'version' | 'handoff' | 'previous' | 'leaves'>,
  digest: Digest,
): string => digest(keyOf([version, handoff, previous, [...leaves]]))

/** Where there are more sections than leaves, the last tagged ones of a name become one, which fewer may read. */
function within(sections: readonly Unsalted[]): readonly Unsalted[] {
  const next = [...sections]
  while (next.length > LEAVES) {
    const last = next.findLastIndex(({ fields, body }) => fields.length > 0 && Array.isArray(body))
    const tagged = next[last]
    const other = next.findLastIndex((each, i) => i < last && each.name === tagged?.name && each.fields.length > 0)
    const before = next[other]
    if (!tagged || !before) throw new RangeError(`An envelope has at most ${LEAVES} sections.`)
    next[other] = joined(before, tagged)
    next.splice(last, 1)
  }
  return next
}

const joined = (a: Unsalted, b: Unsalted): Unsalted => ({
  name: a.name,
  fields: [...new Set([...a.fields, ...b.fields])].sort(),
  body: [a.body, b.body].flatMap(body => (Array.isArray(body) ? body : [body])),
})

const NUMBERED = /^(\d{1,4})\.(\d{1,4})$/

/** What to do with a version: its fields are all known, some may be new and are kept, or it can't be understood. */
export function readVersion(version: string): Result<'known' | 'newer'> {
  const [, major, minor] = NUMBERED.exec(version) ?? []
  if (major === undefined || Number(major) !== MAJOR)
    return refuse(
      'version_unsupported',
      `Envelopes of version ${MAJOR}.x are understood here, not ${version.slice(0, 16)}.`,
    )
  return ok(Number(minor) > MINOR ? 'newer' : 'known')
}

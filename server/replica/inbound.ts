import { isClient } from './author.ts'
import { Bytes, Malformed, UNFIT } from './bytes.ts'

/** The root map into which a replica writes what it wants observed. */
const OUTBOX = 'outbox'

/** Kinds of structs, in the low five bits of the first byte of each. */
const GAP = 0
const DELETED = 1
const JSON_TEXTS = 2
const BINARY = 3
const STRING = 4
const EMBED = 5
const FORMAT = 6
const TYPE = 7
const ANY = 8
const DOCUMENT = 9
const SKIP = 10
const KIND = 0x1f

const HAS_KEY = 0x20
const HAS_RIGHT_ORIGIN = 0x40
const HAS_ORIGIN = 0x80

/** Types that are written with a name of their own. */
const XML_ELEMENT = 3
const XML_HOOK = 5

/** What stands in a replica's outbox: under which key, what, and where in the replica's own history. */
export interface Entry {
  readonly client: number
  readonly clock: number
  readonly key: string
  /** UNFIT when it is no plain data. */
  readonly value: unknown
}

/** A run of one client's clocks that an update tells of. */
export interface Run {
  readonly client: number
  readonly from: number
  readonly to: number
}

export interface Inbound {
  readonly entries: readonly Entry[]
  readonly runs: readonly Run[]
}

/**
 * Reads an update (version 1) for the values in its outbox. It is never applied: whatever else it holds, deletions
 * included, is passed over. Only an item that names the outbox itself counts, so an outbox key is written once.
 */
export function readInbound(update: Uint8Array): Inbound {
  const bytes = new Bytes(update)
  const entries: Entry[] = []
  const runs: Run[] = []
  for (let authors = bytes.varUint(); authors > 0; authors--) readAuthor(bytes, entries, runs)
  return { entries, runs }
}

function readAuthor(bytes: Bytes, entries: Entry[], runs: Run[]): void {
  const structs = bytes.varUint()
  const client = bytes.varUint()
  let from = bytes.varUint()
  let clock = from
  for (let left = structs; left > 0; left--) {
    const { length, isAbsent } = readStruct(bytes, client, clock, entries)
    if (isAbsent) addRun(runs, { client, from, to: clock })
    clock += length
    if (isAbsent) from = clock
  }
  addRun(runs, { client, from, to: clock })
}

function addRun(runs: Run[], run: Run): void {
  if (!Number.isSafeInteger(run.to)) throw new Malformed()
  if (isClient(run.client) && run.to > run.from) runs.push(run)
}

/** How many clocks the struct takes, and whether it says only that they are not told of here. */
interface Extent {
  readonly length: number
  readonly isAbsent: boolean
}

function readStruct(bytes: Bytes, client: number, clock: number, entries: Entry[]): Extent {
  const info = bytes.uint8()
  const kind = info & KIND
  if (kind === GAP || kind === SKIP) return { length: bytes.varUint(), isAbsent: kind === SKIP }
  const key = readPlace(bytes, info)
  if (kind !== ANY) return { length: skipContent(bytes, kind), isAbsent: false }
  const length = bytes.varUint()
  let value: unknown = UNFIT
  for (let left = length; left > 0; left--) value = bytes.value()
  if (key !== undefined && length > 0 && isClient(client))
    entries.push({ client, clock: clock + length - 1, key, value })
  return { length, isAbsent: false }
}

/** The key, if the item stands in the outbox under one. */
function readPlace(bytes: Bytes, info: number): string | undefined {
  if (info & HAS_ORIGIN) skipId(bytes)
  if (info & HAS_RIGHT_ORIGIN) skipId(bytes)
  if (info & (HAS_ORIGIN | HAS_RIGHT_ORIGIN)) return undefined
  const isRoot = bytes.varUint() === 1
  const root = isRoot ? bytes.varString() : undefined
  if (!isRoot) skipId(bytes)
  const key = info & HAS_KEY ? bytes.varString() : undefined
  return root === OUTBOX ? key : undefined
}

function skipId(bytes: Bytes): void {
  bytes.varUint()
  bytes.varUint()
}

function skipContent(bytes: Bytes, kind: number): number {
  switch (kind) {
    case DELETED:
      return bytes.varUint()
    case JSON_TEXTS:
      return skipTexts(bytes)
    case BINARY:
    case EMBED:
      bytes.varBytes()
      return 1
    case STRING:
      return bytes.varString().length
    case FORMAT:
      bytes.varBytes()
      bytes.varBytes()
      return 1
    case TYPE:
      skipType(bytes)
      return 1
    case DOCUMENT:
      bytes.varBytes()
      bytes.value()
      return 1
    default:
      throw new Malformed()
  }
}

function skipTexts(bytes: Bytes): number {
  const length = bytes.varUint()
  for (let left = length; left > 0; left--) bytes.varBytes()
  return length
}

function skipType(bytes: Bytes): void {
  const type = bytes.varUint()
  if (type === XML_ELEMENT || type === XML_HOOK) bytes.varBytes()
}

import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { StorageDamage } from './damage.ts'

/**
 * LMDB maps its file into memory and follows the page numbers in it. In a file that was cut or altered they lead
 * outside the map, which ends the process by a signal. So every page in use is looked at before LMDB opens the file:
 * where it lies, what it says it is, and that its nodes stay within it. Values are not read; their seals vouch for them.
 *
 *   page    number u64 · transaction u64 · pad u16 · flags u16 · lower u16 · upper u16, then offsets of nodes, u16 each
 *           (an overflow page has its count of pages, u32, in the place of lower and upper)
 *   node    low u16 · high u16 · flags u16 · key length u16, key, data; in a branch low, high and flags are a page number
 *   big     data of a node too large for its page: overflow page u64 · transaction u64 · count of pages u64
 *   meta    page 0 or 1; 24: magic u32 · version u32 · address u64 · map size u64, 48: free tree, 96: main tree,
 *           144: last page u64 · transaction u64
 *   tree    page size u32 · flags u16 · depth u16 · branches u64 · leaves u64 · overflow pages u64 · entries u64 · root u64
 */
const HEADER = 24
const NODE_HEADER = 8
const BIG = 24
const META_BYTES = 168
const MAGIC = 0xbeefc0de
const VERSION = 2
const BRANCH = 0x01
const LEAF = 0x02
const OVERFLOW = 0x04
const META = 0x08
const IS_BIG = 0x01
const NO_PAGE = 0xffff_ffff_ffff_ffffn
/** The free tree has integers for keys, and carries the environment's own flag: a file, not a directory. */
const FREE_FLAGS = 0x4008
const MAIN_FLAGS = 0
const MAX_DEPTH = 32
const MAX_MAP = 2 ** 46
const PAGE_SIZES = [4_096, 8_192, 16_384, 32_768, 65_536]

/** Throws StorageDamage, naming the page, when LMDB could not read the file safely. */
export function requireSoundFile(path: string): void {
  if (!existsSync(path)) return
  const file = openSync(path, 'r')
  try {
    const size = fstatSync(file).size
    // Made and not yet written to: a start that was cut short.
    if (size > 0) new Inspection(path, file, size).run()
  } finally {
    closeSync(file)
  }
}

interface Tree {
  readonly flags: number
  readonly depth: number
  readonly branches: number
  readonly leaves: number
  readonly overflows: number
  readonly entries: number
  readonly root: bigint
}

interface Meta {
  readonly pageSize: number
  readonly free: Tree
  readonly main: Tree
  readonly last: number
  readonly transaction: number
}

interface Counts {
  branches: number
  leaves: number
  overflows: number
  entries: number
}

/** Given the values, where somebody wants them. */
type See = ((data: Buffer) => void) | undefined

class Inspection {
  readonly #path: string
  readonly #file: number
  readonly #size: number
  readonly #used = new Set<number>([0, 1])

  constructor(path: string, file: number, size: number) {
    this.#path = path
    this.#file = file
    this.#size = size
  }

  run(): void {
    const meta = this.#meta()
    this.#tree(meta, meta.main, undefined)
    const free: Buffer[] = []
    this.#tree(meta, meta.free, list => free.push(list))
    for (const list of free) this.#freeList(meta, list)
  }

  /** The newer of the two. Commits write them in turn, so that one is a step behind; in a new file it is at 0. */
  #meta(): Meta {
    const first = this.#metaAt(0, 0)
    const second = this.#metaAt(first.pageSize, 1)
    if (first.pageSize !== second.pageSize) this.#refuse(1, 'it disagrees with page 0 on the size of pages')
    const [older, newer] = first.transaction < second.transaction ? [first, second] : [second, first]
    if (older.transaction !== 0 && older.transaction + 1 !== newer.transaction)
      this.#refuse(1, `transactions ${older.transaction} and ${newer.transaction} can't be the last two`)
    return newer
  }

  #metaAt(offset: number, number: number): Meta {
    const bytes = this.#read(offset, META_BYTES, number)
    if (bytes.readUInt16LE(18) !== META || bytes.readUInt32LE(24) !== MAGIC || bytes.readUInt32LE(28) !== VERSION)
      this.#refuse(number, 'it is no first page of LMDB')
    const pageSize = bytes.readUInt32LE(48)
    if (!PAGE_SIZES.includes(pageSize)) this.#refuse(number, `pages can't have ${pageSize} bytes`)
    const meta = {
      pageSize,
      free: treeAt(bytes, 48),
      main: treeAt(bytes, 96),
      last: whole(bytes, 144),
      transaction: whole(bytes, 152),
    }
    this.#requireMap(bytes, number, meta)
    return meta
  }

  /** What LMDB takes for granted: a flag more, and it would read the values as trees, or map the file elsewhere. */
  #requireMap(bytes: Buffer, number: number, { free, main, last, pageSize }: Meta): void {
    const mapped = whole(bytes, 40)
    if (whole(bytes, 0) !== number) this.#refuse(number, `it says it is page ${whole(bytes, 0)}`)
    if (whole(bytes, 32) !== 0) this.#refuse(number, 'it names an address to map the file at')
    if (free.flags !== FREE_FLAGS || main.flags !== MAIN_FLAGS || bytes.readUInt32LE(96) !== 0)
      this.#refuse(number, `a tree has other flags than were given: ${free.flags}, ${main.flags}`)
    if (mapped > MAX_MAP || mapped % pageSize !== 0 || mapped < (last + 1) * pageSize)
      this.#refuse(number, `a map of ${mapped} bytes does not fit ${last + 1} pages`)
  }

  #tree(meta: Meta, tree: Tree, see: See): void {
    const counts: Counts = { branches: 0, leaves: 0, overflows: 0, entries: 0 }
    if (tree.root !== NO_PAGE) this.#page(meta, Number(tree.root), tree.depth, counts, see)
    for (const key of ['branches', 'leaves', 'overflows', 'entries'] as const)
      if (counts[key] !== tree[key])
        this.#refuse(Number(tree.root), `its tree has ${counts[key]} ${key} instead of ${tree[key]}`)
  }

  #page(meta: Meta, number: number, depth: number, counts: Counts, see: See): void {
    if (depth < 1 || depth > MAX_DEPTH) this.#refuse(number, 'it lies too deep')
    this.#use(meta, number, 1)
    const page = this.#read(number * meta.pageSize, meta.pageSize, number)
    this.#requireHeader(meta, page, number, depth > 1 ? BRANCH : LEAF)
    counts[depth > 1 ? 'branches' : 'leaves'] += 1
    this.#requireRoom(page, number)
    const end = HEADER + page.readUInt16LE(20)
    for (let at = HEADER; at < end; at += 2) {
      const node = this.#node(page, number, page.readUInt16LE(at))
      if (depth > 1) this.#page(meta, childOf(page, node), depth - 1, counts, see)
      else this.#data(meta, page, number, node, counts, see)
    }
  }

  #requireHeader(meta: Meta, page: Buffer, number: number, flags: number): void {
    if (whole(page, 0) !== number) this.#refuse(number, `it says it is page ${whole(page, 0)}`)
    if (whole(page, 8) > meta.transaction) this.#refuse(number, 'it is younger than the last commit')
    if (page.readUInt16LE(18) !== flags) this.#refuse(number, `it is of another kind: ${page.readUInt16LE(18)}`)
  }

  #requireRoom(page: Buffer, number: number): void {
    const lower = page.readUInt16LE(20)
    const upper = page.readUInt16LE(22)
    if (lower % 2 !== 0 || lower > upper || HEADER + upper > page.length)
      this.#refuse(number, 'its nodes overlap or reach beyond it')
  }

  #node(page: Buffer, number: number, offset: number): number {
    const node = HEADER + offset
    if (offset < page.readUInt16LE(22) || node + NODE_HEADER > page.length)
      this.#refuse(number, 'a node lies outside it')
    if (dataAt(page, node) > page.length) this.#refuse(number, 'a key reaches beyond it')
    return node
  }

  #data(meta: Meta, page: Buffer, number: number, node: number, counts: Counts, see: See): void {
    counts.entries += 1
    const length = page.readUInt32LE(node)
    const start = dataAt(page, node)
    const flags = page.readUInt16LE(node + 4)
    if ((flags & ~IS_BIG) !== 0) this.#refuse(number, `a node has unknown flags: ${flags}`)
    const end = start + (flags === IS_BIG ? BIG : length)
    if (end > page.length) this.#refuse(number, 'a value reaches beyond it')
    if (flags === IS_BIG) this.#big(meta, page.subarray(start, end), length, counts, see)
    else see?.(page.subarray(start, end))
  }

  #big(meta: Meta, place: Buffer, length: number, counts: Counts, see: See): void {
    const number = whole(place, 0)
    const pages = whole(place, 16)
    if (pages !== Math.ceil((HEADER + length) / meta.pageSize))
      this.#refuse(number, 'its length is not that of its value')
    this.#use(meta, number, pages)
    counts.overflows += pages
    const page = this.#read(number * meta.pageSize, HEADER, number)
    this.#requireHeader(meta, page, number, OVERFLOW)
    if (page.readUInt32LE(20) !== pages) this.#refuse(number, 'its count of pages is wrong')
    this.#requireWithin((number + pages) * meta.pageSize, number)
    see?.(this.#read(number * meta.pageSize + HEADER, length, number))
  }

  /** Count, then page numbers; a negative one says how many pages the next one stands for. */
  #freeList(meta: Meta, list: Buffer): void {
    const count = whole(list, 0)
    if (8 + 8 * count > list.length) this.#refuse(0, 'a list of free pages is longer than its record')
    for (let at = 8; at < 8 + 8 * count; at += 8) {
      const number = Number(list.readBigInt64LE(at))
      if (number > 0) this.#use(meta, number, 1)
      else if (-number > meta.last) this.#refuse(0, 'a list of free pages has a stretch that is too long')
    }
  }

  #use(meta: Meta, number: number, pages: number): void {
    if (number < 2 || number + pages - 1 > meta.last) this.#refuse(number, `the last page is ${meta.last}`)
    for (let page = number; page < number + pages; page++) {
      if (this.#used.has(page)) this.#refuse(page, 'it is used twice')
      this.#used.add(page)
    }
  }

  #read(offset: number, length: number, number: number): Buffer {
    this.#requireWithin(offset + length, number)
    const bytes = Buffer.allocUnsafe(length)
    if (readSync(this.#file, bytes, 0, length, offset) !== length) this.#refuse(number, 'it could not be read whole')
    return bytes
  }

  #requireWithin(end: number, number: number): void {
    if (end > this.#size) this.#refuse(number, `the file was cut: it ends at ${this.#size} bytes`)
  }

  #refuse(number: number, reason: string): never {
    throw new StorageDamage(`${this.#path} is damaged at page ${number}: ${reason}. Restore it from a backup.`)
  }
}

function treeAt(bytes: Buffer, at: number): Tree {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branches: whole(bytes, at + 8),
    leaves: whole(bytes, at + 16),
    overflows: whole(bytes, at + 24),
    entries: whole(bytes, at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  }
}

const whole = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))

const dataAt = (page: Buffer, node: number): number => node + NODE_HEADER + page.readUInt16LE(node + 6)

const childOf = (page: Buffer, node: number): number => page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 2 ** 32

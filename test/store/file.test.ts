import { randomInt } from 'node:crypto'
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Archive } from '../../server/store/archive.ts'
import { Build } from './child/process.ts'
import { admitting, claims } from './sample.ts'
import { scratch } from './scratch.ts'

const LOGGED = 300
const FLIPS = process.env['SELFSAME_LONG'] === '1' ? 3_000 : 60
const PAGE = 4_096

let build: Build
beforeAll(() => {
  build = new Build()
})
afterAll(() => build.remove())

const idsOf = (user: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${user}-${index}`)

/** An archive with two users: one has a log, the other a snapshot and a log. */
async function sound(): Promise<string> {
  const directory = scratch()
  const archive = await Archive.open(directory)
  for (const user of ['logged', 'folded'])
    for (let start = 0; start < LOGGED; start += 100) {
      const ids = idsOf(user, LOGGED).slice(start, start + 100)
      await archive.commit(user, claims(ids), admitting(ids))
    }
  const { evidence } = await archive.load('folded')
  await archive.fold('folded', 0, 200, evidence.slice(0, 200), 0)
  await archive.close()
  return directory
}

type Read = { user: string; ids: string[]; damaged: number; refused?: undefined } | { user: string; refused: string }
type Answer =
  | { place: string; refused: string; users?: undefined }
  | { place: string; users: Read[]; refused?: undefined }

/** What another process finds in each of the places. It must get through all of them. */
async function inspect(places: readonly string[]): Promise<Answer[]> {
  const worker = build.run(['inspect'])
  for (const place of places) worker.write(`${place}\n`)
  worker.finish()
  const end = await worker.ended
  expect(end, `after ${worker.lines.at(-1)} ${worker.errors}`).toEqual({ code: 0, signal: null })
  return worker.lines.map((line): Answer => JSON.parse(line))
}

/** Either the place is refused as damaged, or each user is: or what can't be read of it is counted and the rest is there. */
function expectHonest(answer: Answer, about: string): void {
  if (answer.refused !== undefined) {
    expect(answer.refused, about).toMatch(/damaged|missing or empty|master key/)
    return
  }
  for (const read of answer.users) {
    if (read.refused !== undefined) {
      expect(read.refused, about).toMatch(/damaged/)
      continue
    }
    const whole = idsOf(read.user, LOGGED)
    expect(read.ids, about).toEqual(whole.filter(id => read.ids.includes(id)))
    if (read.damaged === 0) expect(read.ids, about).toEqual(whole)
    if (read.user === 'logged') expect(read.ids.length + read.damaged, about).toBe(LOGGED)
  }
}

/** Copies of the archive, each altered in one file. */
function altered(source: string, count: number, alter: (copy: string, index: number) => string): Map<string, string> {
  const root = scratch()
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const copy = join(root, `${index}`)
      cpSync(source, copy, { recursive: true })
      return [copy, alter(copy, index)]
    }),
  )
}

function flip(path: string, at: number, bit: number): string {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  writeFileSync(path, bytes)
  return `bit ${bit} of byte ${at} of ${path}`
}

async function expectAllHonest(copies: Map<string, string>): Promise<Answer[]> {
  const answers = await inspect([...copies.keys()])
  expect(answers).toHaveLength(copies.size)
  for (const answer of answers) expectHonest(answer, `${copies.get(answer.place)}: ${answer.refused}`)
  return answers
}

const hasLoss = (answer: Answer): boolean =>
  answer.refused !== undefined || answer.users.some(read => read.refused !== undefined || read.damaged > 0)

test('[STO-80] a cut file is refused, or nothing of it was in use; no signal ends the process', async () => {
  const source = await sound()
  const size = readFileSync(join(source, 'store/data.1.mdb')).length
  const lengths = [0, 1, 100, PAGE, 2 * PAGE, 3 * PAGE, size - 1, ...Array.from({ length: 30 }, () => randomInt(size))]
  const copies = altered(source, lengths.length, (copy, index) => {
    truncateSync(join(copy, 'store/data.1.mdb'), lengths[index])
    return `cut to ${lengths[index]}`
  })
  const answers = await expectAllHonest(copies)
  for (const answer of answers.slice(0, 6)) expect(answer.refused, copies.get(answer.place)).toBeDefined()
})

test('[STO-81] a missing file is refused when there was one, and an untouched copy is read whole', async () => {
  const source = await sound()
  const copies = altered(source, 3, (copy, index) => {
    if (index > 0) rmSync(join(copy, index === 1 ? 'store/data.1.mdb' : 'keys/data.1.mdb'))
    return `copy ${index}`
  })
  expect((await expectAllHonest(copies)).map(hasLoss)).toEqual([false, true, true])
})

test('[STO-82] flipped bits anywhere in the file are refused or reported, or hit nothing in use', async () => {
  const source = await sound()
  const size = readFileSync(join(source, 'store/data.1.mdb')).length
  const copies = altered(source, FLIPS, copy => flip(join(copy, 'store/data.1.mdb'), randomInt(size), randomInt(8)))
  expect((await expectAllHonest(copies)).filter(hasLoss).length).toBeGreaterThan(0)
})

test('[STO-83] so are flipped bits where LMDB keeps its own numbers', async () => {
  const source = await sound()
  const pages = readFileSync(join(source, 'store/data.1.mdb')).length / PAGE
  const copies = altered(source, FLIPS, (copy, index) => {
    const at = index % 3 === 0 ? randomInt(168) + PAGE * randomInt(2) : randomInt(60) + PAGE * randomInt(2, pages)
    return flip(join(copy, 'store/data.1.mdb'), at, randomInt(8))
  })
  expect((await expectAllHonest(copies)).filter(hasLoss).length).toBeGreaterThan(0)
})

test('[STO-84] flipped bits in the file of keys cost at most the users whose keys they hit', async () => {
  const source = await sound()
  const size = readFileSync(join(source, 'keys/data.1.mdb')).length
  const copies = altered(source, FLIPS / 2, copy => flip(join(copy, 'keys/data.1.mdb'), randomInt(size), randomInt(8)))
  await expectAllHonest(copies)
})

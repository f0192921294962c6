import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Archive } from '../../../server/store/archive.ts'
import { StorageFailure } from '../../../server/store/storage.ts'
import { admitting, claims } from '../sample.ts'

/**
 * A process that works on an archive until it is stopped, and says on standard output, at once, what it was told:
 * `open`, `ack USER ID`, `failed REASON`, `silent` when every later call was refused, `closed`.
 */
const [mode = '', directory = '', round = '', deadline = '10000'] = process.argv.slice(2)

const USERS = 24
const FOLD_EVERY = 40

const say = (line: string): void => void writeSync(1, `${line}\n`)

async function keepWriting(archive: Archive): Promise<void> {
  await Promise.all(Array.from({ length: USERS }, (_, user) => keepWritingOf(archive, `u${user}`)))
}

async function keepWritingOf(archive: Archive, user: string): Promise<void> {
  for (let count = 1; ; count++) {
    const ids = [`${round}-${user}-${count}-a`, `${round}-${user}-${count}-b`]
    await archive.commit(user, claims(ids), admitting(ids))
    for (const id of ids) say(`ack ${user} ${id}`)
    if (count % FOLD_EVERY === 0) await foldAll(archive, user)
    // Users that come up under way, so that keys are minted all the time.
    if (count % FOLD_EVERY === 1) await archive.note(`${user}-${round}-${count}`, 'served', count)
  }
}

async function foldAll(archive: Archive, user: string): Promise<void> {
  const { head, evidence } = await archive.load(user)
  await archive.fold(user, head.epoch, head.seq, evidence, 0)
}

/** After the failure: whether anything at all is still answered. */
async function isSilent(archive: Archive): Promise<boolean> {
  const calls = [
    () => archive.load('u0'),
    () => archive.commit('u0', claims(['late']), admitting(['late'])),
    () => archive.note('u0', 'served', 0),
  ]
  const answers = await Promise.allSettled(calls.map(call => call()))
  return answers.every(answer => answer.status === 'rejected' && answer.reason instanceof StorageFailure)
}

async function write(): Promise<never> {
  const archive = await Archive.open(directory, { flushDeadline: Number(deadline) })
  say('open')
  const writing = keepWriting(archive).catch((error: unknown) => error)
  say(`failed ${(await archive.failed).message}`)
  if ((await writing) instanceof StorageFailure && (await isSilent(archive))) say('silent')
  process.exit(70)
}

async function hold(): Promise<void> {
  const archive = await Archive.open(directory)
  say('open')
  for await (const _ of process.stdin);
  await archive.close()
  say('closed')
}

/** Reads all of each archive named on standard input, writes something, and answers with one line of JSON for it. */
async function inspect(): Promise<void> {
  for await (const place of createInterface(process.stdin)) say(JSON.stringify(await inspectOne(place)))
}

async function inspectOne(place: string): Promise<unknown> {
  try {
    const archive = await Archive.open(place)
    const users = await Promise.all(archive.users().users.map(user => readUser(archive, user)))
    // Writing goes where reading does not: over the lists of free pages.
    const ids = Array.from({ length: 100 }, (_, index) => `new-${index}`)
    await archive.commit('new', claims(ids), admitting(ids))
    await archive.close()
    return { place, users }
  } catch (error) {
    return { place, refused: error instanceof Error ? error.message : 'not an error' }
  }
}

async function readUser(archive: Archive, user: string): Promise<unknown> {
  try {
    const { evidence, damaged } = await archive.load(user)
    return { user, ids: evidence.map(({ id }) => id), damaged: damaged.length }
  } catch (error) {
    return { user, refused: error instanceof Error ? error.message : 'not an error' }
  }
}

switch (mode) {
  case 'write':
    await write()
    break
  case 'hold':
    await hold()
    break
  case 'inspect':
    await inspect()
    break
  default:
    throw new Error(`There is no mode ${mode}.`)
}

import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Keep, Kept } from './keep.ts'

const LINE_FEED = 10

/** Keeps a replica in a file: a line of JSON that says whose it is, and the document. */
export function fileReplica(path: string): Keep {
  let saving: Promise<void> = Promise.resolve()
  return {
    load: () => load(path),
    save(kept) {
      saving = saving.catch(() => undefined).then(() => save(path, kept))
      return saving
    },
  }
}

async function load(path: string): Promise<Kept | undefined> {
  const bytes = await readFile(path).catch(unlessMissing)
  if (!bytes) return undefined
  const end = bytes.indexOf(LINE_FEED)
  const head: unknown = JSON.parse(bytes.toString('utf8', 0, end))
  if (!isHead(head)) throw new Error(`${path} holds no replica.`)
  return { agent: head.agent, user: head.user, document: Uint8Array.from(bytes.subarray(end + 1)) }
}

/** The old one or the new one is there whatever happens, and never a half of either. */
async function save(path: string, { agent, user, document }: Kept): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.write(Buffer.concat([Buffer.from(`${JSON.stringify({ agent, user })}\n`), document]))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const directory = await open(dirname(path), 'r')
  await directory.sync().finally(() => directory.close())
}

const isHead = (head: unknown): head is { agent: string; user: string } =>
  typeof head === 'object' &&
  head !== null &&
  'agent' in head &&
  'user' in head &&
  typeof head.agent === 'string' &&
  typeof head.user === 'string'

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

import { join } from 'node:path'
import { NOBODY } from '../store/cells.ts'
import { unchecked } from '../store/checked.ts'
import { Keyring } from '../store/keyring.ts'
import { LmdbCells } from '../store/lmdb-cells.ts'
import type { MasterKey } from '../store/master-key.ts'
import { CUT } from './audit.ts'
import { type Head, headShape, Signer } from './head.ts'
import { FROM_THE_FIRST, type Report, verifyChain } from './verification.ts'

/** Checks the audit in a data directory, whether or not a server is using it. */
export function verifyIn(directory: string, master: MasterKey | undefined, given: readonly Head[]): Report {
  const { seed, head } = Keyring.lookForAudit(directory, master)
  const signer = new Signer(seed)
  const foreign = given.find(each => !signer.isOwn(each))
  if (foreign) throw new Error(`The head of entry ${foreign.number} was not signed by this server.`)
  if (head && !signer.isOwn(head)) throw new Error('The head that is kept with the keys was not signed by this server.')
  return LmdbCells.look(join(directory, 'store'), cells => {
    const stored = cells.get('setting', NOBODY, CUT)
    const bytes = stored && unchecked(stored)
    const cut = bytes && headShape.parse(JSON.parse(Buffer.from(bytes).toString()))
    if (stored && !(cut && signer.isOwn(cut))) throw new Error('Where the audit begins was not signed by this server.')
    const beginning = cut ? { number: cut.number, digest: Buffer.from(cut.digest, 'hex') } : FROM_THE_FIRST
    const entries = function* (): Iterable<readonly [number, Uint8Array]> {
      for (const [number, record] of cells.range('audit', NOBODY)) yield [Number(number), record]
    }
    return verifyChain(entries(), beginning, signer, [...(head ? [head] : []), ...given])
  })
}

export function lastHeadIn(directory: string, master: MasterKey | undefined): Head | undefined {
  return Keyring.lookForAudit(directory, master).head
}

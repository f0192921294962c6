import { type Cells, type Change, NOBODY } from './cells.ts'
import { checked, numberAt, row, unchecked } from './checked.ts'
import { StorageDamage } from './damage.ts'
import type { Head } from './storage.ts'

/** The stored head of a user: with it, up to where the snapshot reaches and how many chunks it has. */
export interface StoredHead extends Head {
  readonly upTo: number
  readonly chunks: number
}

const NEW: StoredHead = { epoch: 0, seq: 0, upTo: 0, chunks: 0 }

/** A head is kept twice, far apart: without it nobody could say which records are missing. */
export function readHead(cells: Cells, name: string): StoredHead {
  const copies = [cells.get('head', NOBODY, name), cells.get('twin', NOBODY, name)].filter(copy => copy !== undefined)
  if (copies.length === 0) return NEW
  const sound = copies.map(unchecked).find(bytes => bytes !== undefined)
  if (!sound) throw new StorageDamage(`Both copies of the head of ${name} are damaged.`)
  return {
    epoch: numberAt(sound, 0),
    seq: numberAt(sound, 1),
    upTo: numberAt(sound, 2),
    chunks: numberAt(sound, 3),
  }
}

export function writeHead(name: string, { epoch, seq, upTo, chunks }: StoredHead): Change[] {
  const value = checked(row(epoch, seq, upTo, chunks))
  return [
    { table: 'head', owner: NOBODY, item: name, value },
    { table: 'twin', owner: NOBODY, item: name, value },
  ]
}

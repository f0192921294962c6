import { Bytes, Malformed } from './bytes.ts'

/** A replica that names more authors than this has not come by them honestly. */
const MAX_AUTHORS = 20_000

/** The clocks that a replica says it has, by author. */
export function readStateVector(bytes: Uint8Array): Map<number, number> {
  const reader = new Bytes(bytes)
  const clocks = new Map<number, number>()
  for (let left = reader.varUint(); left > 0; left--) {
    const author = reader.varUint()
    const clock = reader.varUint()
    if (clock > 0) clocks.set(author, clock)
    if (clocks.size > MAX_AUTHORS) throw new Malformed()
  }
  return clocks
}

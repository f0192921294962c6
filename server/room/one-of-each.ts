import type { Evidence } from '../../model/evidence.ts'

/**
 * An item that its sender gave to two stores was stamped by both. Wherever the two meet, one of them stands for it, and
 * the same one everywhere: that of the store which received it first.
 */
export function oneOfEach(evidence: Iterable<Evidence>): Map<string, Evidence> {
  const byId = new Map<string, Evidence>()
  for (const piece of evidence) {
    const known = byId.get(piece.id)
    if (!known || stands(piece, known)) byId.set(piece.id, piece)
  }
  return byId
}

/** Whether one of two stampings goes before the other. */
export function stands(piece: Evidence, other: Evidence): boolean {
  const [a, b] = [stampsOf(piece), stampsOf(other)]
  const first = a.findIndex((stamp, i) => stamp !== b[i])
  return first >= 0 && (a[first] ?? '') < (b[first] ?? '')
}

/** All that a store adds to what was said. What was folded has none and is named by what it was made of. */
function stampsOf(piece: Evidence): readonly (string | number)[] {
  switch (piece.type) {
    case 'word':
      return [piece.received, piece.seq, piece.at, piece.trust, piece.rank, piece.echo ? 1 : 0, piece.episode]
    case 'retraction':
      return [piece.received, piece.seq]
    case 'pack':
    case 'sum':
      return []
  }
}

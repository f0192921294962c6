import type { Evidence } from '../../model/evidence.ts'
import { refusal } from '../refusal.ts'
import type { Spoken } from '../said.ts'

/** What a replica holds: evidence by key, and own words that have no outcome yet. */
export interface Holding {
  readonly evidence: ReadonlyMap<string, Evidence>
  readonly outbox: Iterable<Spoken>
}

/** As JSON: {"version":1,"evidence":{"key":{…}},"outbox":[{…}]} */
const VERSION = 1

export const documentOf = ({ evidence, outbox }: Holding): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ version: VERSION, evidence: Object.fromEntries(evidence), outbox: [...outbox] }),
  )

export function holdingIn(document: Uint8Array): Holding {
  const kept = parsed(new TextDecoder().decode(document))
  if (!isDocument(kept))
    throw refusal('bad_request', 'What was kept is no replica of this version. Keep the new one in another place.')
  return { evidence: new Map(Object.entries(kept.evidence)), outbox: kept.outbox }
}

interface Document {
  readonly evidence: Readonly<Record<string, Evidence>>
  readonly outbox: readonly Spoken[]
}

const isDocument = (kept: unknown): kept is Document =>
  typeof kept === 'object' &&
  kept !== null &&
  'version' in kept &&
  kept.version === VERSION &&
  'evidence' in kept &&
  typeof kept.evidence === 'object' &&
  'outbox' in kept &&
  Array.isArray(kept.outbox)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

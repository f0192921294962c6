import { SelfsameError } from '../../model/error.ts'
import { handoffsRequest } from '../operation/handoff-request.ts'
import {
  aliasRequest,
  auditRequest,
  contextRequest,
  correctRequest,
  emptyRequest,
  explainRequest,
  exportRequest,
  modelRequest,
  observeRequest,
  retractRequest,
  unwatchRequest,
  userRequest,
  watchRequest,
} from '../operation/request.ts'
import { isWithinDepth } from './depth.ts'
import { HANDOFF_REQUESTS } from './handoff-frame.ts'

/** Operations of the agent socket, by name, and what each asks for. */
export const REQUESTS = {
  observe: observeRequest,
  correct: correctRequest,
  retract: retractRequest,
  model: modelRequest,
  context: contextRequest,
  explain: explainRequest,
  watch: watchRequest,
  watchHandoffs: handoffsRequest,
  watchWork: userRequest,
  replicate: userRequest,
  unwatch: unwatchRequest,
  export: exportRequest,
  aliases: userRequest,
  join: aliasRequest,
  part: aliasRequest,
  audit: auditRequest,
  erase: userRequest,
  schema: emptyRequest,
  ...HANDOFF_REQUESTS,
} as const

export type Op = keyof typeof REQUESTS

export interface Frame {
  readonly id: number
  readonly op: Op
  readonly parameters: object
}

/** Keys of a frame. No operation has as many, and a refusal that names each is larger than what it refuses. */
const MAX_KEYS = 32

/** How deep a frame nests; a value may go a third as deep, and is refused under its id when it goes deeper. */
export const MAX_DEPTH = 32

/** A frame that has an id can be refused under it; one that has none ends the connection. */
export function readFrame(bytes: Buffer): Frame | { readonly id: number; readonly refusal: SelfsameError } | undefined {
  const input = isWithinDepth(bytes, MAX_DEPTH) ? parseJson(bytes.toString()) : undefined
  if (!isFrame(input)) return undefined
  if (Object.keys(input).length > MAX_KEYS)
    return { id: input.id, refusal: badRequest(`A frame has at most ${MAX_KEYS} keys.`) }
  const { id, op, ...parameters } = input
  if (isOp(op)) return { id, op, parameters }
  return {
    id,
    refusal: badRequest(`No operation "${op.slice(0, 64)}". Operations: ${Object.keys(REQUESTS).join(', ')}.`),
  }
}

/** By hand, as every message passes here: what an operation asks for is looked at when its turn has come. */
function isFrame(input: unknown): input is { id: number; op: string } {
  if (typeof input !== 'object' || input === null || !('id' in input) || !('op' in input)) return false
  return Number.isSafeInteger(input.id) && Number(input.id) >= 0 && typeof input.op === 'string'
}

const isOp = (op: string): op is Op => Object.hasOwn(REQUESTS, op)

const badRequest = (message: string) => new SelfsameError({ code: 'bad_request', message })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { z } from 'zod'
import { SelfsameError } from '../../model/error.ts'
import {
  contextRequest,
  correctRequest,
  emptyRequest,
  explainRequest,
  modelRequest,
  observeRequest,
  retractRequest,
  unwatchRequest,
  userRequest,
  watchRequest,
} from '../operation/request.ts'

/** Operations of the agent socket, by name, and what each asks for. */
export const REQUESTS = {
  observe: observeRequest,
  correct: correctRequest,
  retract: retractRequest,
  model: modelRequest,
  context: contextRequest,
  explain: explainRequest,
  watch: watchRequest,
  unwatch: unwatchRequest,
  export: userRequest,
  schema: emptyRequest,
} as const

export type Op = keyof typeof REQUESTS
export type Request<O extends Op> = z.infer<(typeof REQUESTS)[O]>

const envelope = z.looseObject({ id: z.int().min(0), op: z.string() })

export interface Frame {
  readonly id: number
  readonly op: Op
  readonly parameters: unknown
}

/** A frame that has an id can be refused under it; one that has none ends the connection. */
export function readFrame(text: string): Frame | { readonly id: number; readonly refusal: SelfsameError } | undefined {
  const parsed = envelope.safeParse(parseJson(text))
  if (!parsed.success) return undefined
  const { id, op, ...parameters } = parsed.data
  if (Object.hasOwn(REQUESTS, op)) return { id, op: op as Op, parameters }
  const message = `No operation "${op.slice(0, 64)}". Operations: ${Object.keys(REQUESTS).join(', ')}.`
  return { id, refusal: new SelfsameError({ code: 'bad_request', message }) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { z } from 'zod'
import { isId } from '../name.ts'

/** Work that is held, as one word a model can pass on: `h_1@2` is the handoff h_1, accepted for the second time. */
export interface Held {
  readonly handoff: string
  readonly epoch: number
}

export const handleOf = ({ id, epoch }: { readonly id: string; readonly epoch: number }): string => `${id}@${epoch}`

export const heldBy = (handle: string): Held | undefined => {
  const [handoff = '', epoch = ''] = handle.split('@')
  return isId(handoff) && /^[1-9]\d{0,8}$/.test(epoch) ? { handoff, epoch: Number(epoch) } : undefined
}

/** Stays a text in the JSON Schema, and is taken apart where it is used. */
export const handleShape = z
  .string()
  .refine(text => heldBy(text) !== undefined, { error: 'expected the `work` that start_work or accept_handoff gave' })
  .describe('The `work` that start_work or accept_handoff gave you, such as "h_1f@1". Copy it unchanged.')

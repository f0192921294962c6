import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { UsageError } from '../report.ts'

/** A conversation with several services, each an agent of its own, and what every one of them needed to know. */
export type Dialogue = z.infer<typeof dialogue>
export type Turn = Dialogue['turns'][number]
export type Handover = Dialogue['handoffs'][number]
export type Observed = Turn['observations'][number]

const observed = z.object({
  field: z.string(),
  ofield: z.string().optional(),
  service_slot: z.string(),
  value: z.string(),
  act: z.enum(['inform', 'select', 'affirm', 'accept', 'offer', 'confirm', 'propose']),
})

const parameter = z.object({ field: z.string(), ofield: z.string().optional(), slot: z.string(), value: z.string() })

const dialogue = z.object({
  id: z.string(),
  services: z.array(z.string()),
  turns: z.array(
    z.object({
      t: z.int(),
      speaker: z.enum(['user', 'system']),
      service: z.string(),
      observations: z.array(observed),
      utterance_tokens: z.int(),
    }),
  ),
  handoffs: z.array(
    z.object({
      turn: z.int(),
      from: z.string(),
      to: z.string(),
      needed: z.array(parameter),
      other: z.array(parameter.extend({ why: z.string() })),
    }),
  ),
})

/** Which of the two names for what was spoken of: as a map learned on other dialogues has it, or as an informed one does. */
export type Naming = 'field' | 'ofield'
export const NAMINGS: readonly Naming[] = ['field', 'ofield']

export const nameIn = (
  naming: Naming,
  named: { readonly field: string; readonly ofield?: string | undefined },
): string => (naming === 'ofield' ? named.ofield : undefined) ?? named.field

export function readDialogues(path: string): Dialogue[] {
  if (!existsSync(path))
    throw new UsageError(`No dialogues at ${path}. Give the path of sgd_dev.jsonl with --dialogues PATH.`)
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line, i) => parseLine(path, line, i + 1))
}

function parseLine(path: string, line: string, number: number): Dialogue {
  try {
    return dialogue.parse(JSON.parse(line))
  } catch (error) {
    const said = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new UsageError(`${path}:${number}: not a dialogue. ${said}`)
  }
}

/** What is known when a service takes over: all before the turn, and at the turn what is not about the taker's own slots. */
export const isKnownAt = ({ turn, to }: Handover, t: number, { service_slot }: Observed): boolean =>
  t < turn || (t === turn && !service_slot.startsWith(`${to}.`))

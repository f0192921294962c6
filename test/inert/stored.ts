import type { Agents } from '../server/handoff/agents.ts'

/** Every string of a value, keys included: what a host puts into a prompt. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...stringsIn(each)])
}

export const USER = 'u_1'

/** Stores a hostile text wherever text can be stored, and hands the work on. */
export async function stored(agents: Agents, text: string): Promise<string> {
  const ann = await agents.caller('ann:triage')
  await ann.observe(
    USER,
    { field: 'need.goal', value: text, why: text, confidence: 0.9 },
    { field: 'need.issue', value: text.slice(0, 200) },
    { field: 'technical.environment', value: { [text.slice(0, 60)]: text } },
    { field: 'technical.tried', value: [text.slice(0, 200)] },
  )
  const started = await agents.start('ann:triage', USER, {
    intent: { words: text, goal: text },
    constraints: [text],
    exclusions: [text],
  })
  const held = { handoff: started.body.handoff.id, epoch: 1 }
  const thread = {
    goal: text,
    approach: text,
    assumptions: [text],
    deadEnds: [text],
    fragility: 0.9,
    links: [{ field: 'need.goal', why: text }],
  }
  await agents.act('ann:triage', held.handoff, 'checkpoint', {
    epoch: 1,
    note: text,
    state: { [text.slice(0, 60)]: text },
    threads: [thread],
    validations: [{ what: text }],
    environment: [{ text }],
    agreements: [{ text }],
    decisions: [{ what: text, why: text }],
  })
  const to = { role: 'tech' }
  const { body } = await agents.post('ann:triage', '/v1/handoffs', {
    ...held,
    to,
    reason: text,
    next: text,
    words: text,
    tokens: 20_000,
  })
  if (!body.id) throw new Error(JSON.stringify(body))
  return body.id
}

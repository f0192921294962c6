import { narrate, written } from '../handoff/narrative.ts'
import type { Message } from '../handoff/section.ts'
import type { HandoffDetails } from '../wire/handoff.ts'
import type { ToolDesk } from './desk.ts'
import { NOTE, quote } from './quoted.ts'

/** What can be read by its address: a user's model and the brief of a handoff. */
export type Address = { readonly user: string } | { readonly handoff: string }

export const MODEL_URI = 'selfsame://users/{user}/model'
export const BRIEF_URI = 'selfsame://handoffs/{handoff}/brief'

const MODEL = /^selfsame:\/\/users\/([A-Za-z0-9_.:~-]{1,128})\/model$/
const BRIEF = /^selfsame:\/\/handoffs\/([A-Za-z0-9_.:~-]{1,128})\/brief$/

export function addressOf(uri: string): Address | undefined {
  const [, user] = MODEL.exec(uri) ?? []
  if (user !== undefined) return { user }
  const [, handoff] = BRIEF.exec(uri) ?? []
  return handoff === undefined ? undefined : { handoff }
}

const modelUri = (user: string): string => MODEL_URI.replace('{user}', user)
const briefUri = (handoff: string): string => BRIEF_URI.replace('{handoff}', handoff)

const TOKENS = 4_000

/** As markdown, with stored text quoted. */
export async function readAt(desk: ToolDesk, address: Address): Promise<string> {
  if ('user' in address)
    return (await desk.ask('context', { user: address.user, tokens: TOKENS, format: 'markdown' })).text
  const seen = await desk.ask('inspect', { handoff: address.handoff })
  return 'envelope' in seen ? briefOf(seen) : `The handoff ${seen.id} is ${seen.state}.`
}

function briefOf({ user, handoff, envelope, work, checkpoint }: HandoffDetails): string {
  const said = (name: keyof Message): string => {
    const body = envelope.sections.find(section => section.name === name)?.body
    return typeof body === 'string' ? body : ''
  }
  const message = { reason: said('reason'), next: said('next'), words: said('words') || null }
  const parts = narrate({ work, message, checkpoint, view: new Map(), pinned: [], others: [], quote })
  return `The handoff ${handoff.id} of user ${user} is ${handoff.state}.\n${NOTE}\n\n${written(parts)}`
}

/** What there is to read now: open handoffs this agent knows of, and their users. */
export async function addresses(desk: ToolDesk): Promise<{ readonly uri: string; readonly name: string }[]> {
  const { handoffs } = await desk.ask('handoffs', {})
  const users = [...new Set(handoffs.flatMap(({ user }) => user ?? []))]
  return [
    ...users.map(user => ({ uri: modelUri(user), name: `What is known of ${user}` })),
    ...handoffs.map(({ id }) => ({ uri: briefUri(id), name: `Brief of ${id}` })),
  ].slice(0, MOST)
}

const MOST = 200

import { SelfsameError } from '../model/error.ts'
import { refusal } from './refusal.ts'

export interface SignedIn {
  readonly token: string
  readonly expires: number
}

interface Fetched {
  json(): Promise<unknown>
}

/** Gives the code of a one-use link for a token. It can be given once. */
export async function redeem(url: string, code: string): Promise<SignedIn> {
  const { fetch }: { fetch?: (url: string, request: object) => Promise<Fetched> } = globalThis
  if (!fetch) throw refusal('internal', 'There is no fetch here.')
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify({ code }) }
  const sent = await fetch(new URL('/v1/links', url).href, request).catch(() => undefined)
  if (!sent) throw refusal('disconnected', 'The server is out of reach.')
  const answer = (await sent.json()) as SignedIn | { error: ConstructorParameters<typeof SelfsameError>[0] }
  if ('error' in answer) throw new SelfsameError(answer.error)
  return answer
}

import type { z } from 'zod'
import { type Exported, parseExported } from '../../../server/operation/exported.ts'
import { explanation, type Model, model, type Outcomes, outcomes, refused } from './answer.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Said {
  readonly field: string
  readonly value: unknown
  readonly [circumstance: string]: unknown
}

/** Someone who calls over HTTP, with a token or without one. */
export class Caller {
  readonly url: string
  readonly #headers: Record<string, string>
  /** Told of every reply. */
  heard: (reply: Reply) => void = () => {}

  constructor(url: string, token?: string) {
    this.url = url
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...this.#headers, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const reply = { status: response.status, headers: response.headers, text: await response.text() }
    this.heard(reply)
    return reply
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path)
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.call('POST', path, body)
  }

  async observe(user: string, ...observations: readonly Said[]): Promise<Outcomes> {
    return parsed(outcomes, await this.post(`/v1/users/${user}/observations`, { observations }))
  }

  async atomic(user: string, ...observations: readonly Said[]): Promise<Outcomes> {
    return parsed(outcomes, await this.post(`/v1/users/${user}/observations`, { observations, atomic: true }))
  }

  async correct(user: string, ...corrections: readonly Said[]): Promise<Outcomes> {
    return parsed(outcomes, await this.post(`/v1/users/${user}/corrections`, { corrections }))
  }

  async retract(user: string, retraction: Readonly<Record<string, unknown>>): Promise<Outcomes> {
    return parsed(outcomes, await this.post(`/v1/users/${user}/retractions`, retraction))
  }

  async model(user: string, query = ''): Promise<Model> {
    return parsed(model, await this.get(`/v1/users/${user}/model${query}`))
  }

  async explain(user: string, field: string): Promise<z.infer<typeof explanation>> {
    return parsed(explanation, await this.get(`/v1/users/${user}/evidence?field=${field}`))
  }

  async export(user: string): Promise<Exported> {
    return parseExported(JSON.parse((await this.get(`/v1/users/${user}/export`)).text))
  }

  /** How one belief stands. */
  async belief(user: string, field: string): Promise<Model['beliefs'][string]> {
    const found = (await this.model(user)).beliefs[field]
    if (!found) throw new Error(`Nothing is believed of ${field}.`)
    return found
  }
}

export const parsed = <T>(shape: z.ZodType<T>, reply: Reply): T => shape.parse(JSON.parse(reply.text))

/** The code of a refusal, whose shape is checked on the way. */
export const codeOf = (reply: Reply): string => parsed(refused, reply).error.code

/** Status and code, as most tests of refusals want them. */
export const refusalOf = (reply: Reply): [number, string] => [reply.status, codeOf(reply)]

export const statuses = (answer: Outcomes): string[] => answer.outcomes.map(({ status }) => status)

export const codes = (answer: Outcomes): (string | undefined)[] => answer.outcomes.map(({ error }) => error?.code)

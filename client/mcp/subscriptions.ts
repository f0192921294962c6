import { addressOf } from '../../model/toolset/resource.ts'
import type { Desk } from '../desk.ts'

const MAX_FOLLOWED = 64

/** What the host at the other end of stdio wants to be told of, whichever revision of the protocol it speaks. */
export class Subscriptions {
  readonly #desk: Desk
  readonly #updated: (uri: string) => void
  readonly #followed = new Map<string, () => void>()
  readonly #streams = new Map<string, readonly string[]>()

  constructor(desk: Desk, updated: (uri: string) => void) {
    this.#desk = desk
    this.#updated = updated
  }

  /** Sees every message before it is served, and answers none. */
  heard(message: unknown): void {
    const { id, method, params } = read(message)
    if (method === 'resources/subscribe') this.#follow(String(params['uri']))
    else if (method === 'resources/unsubscribe') this.#forget(String(params['uri']))
    else if (method === 'subscriptions/listen') this.#open(String(id), urisIn(params))
    else if (method === 'notifications/cancelled') this.#cancel(String(params['requestId']))
  }

  close(): void {
    for (const stop of this.#followed.values()) stop()
    this.#followed.clear()
  }

  #open(id: string, uris: readonly string[]): void {
    this.#streams.set(id, uris)
    for (const uri of uris) this.#follow(uri)
  }

  #cancel(id: string): void {
    const uris = this.#streams.get(id) ?? []
    this.#streams.delete(id)
    const wanted = new Set([...this.#streams.values()].flat())
    for (const uri of uris) if (!wanted.has(uri)) this.#forget(uri)
  }

  #follow(uri: string): void {
    const address = addressOf(uri)
    if (!address || this.#followed.has(uri) || this.#followed.size >= MAX_FOLLOWED) return
    const updated = () => this.#updated(uri)
    if ('handoff' in address) this.#followed.set(uri, this.#desk.tools.onHandoff(address.handoff, updated))
    // Who may not reach the user is told nothing, as if nothing ever changed.
    else
      this.#followed.set(
        uri,
        this.#desk.user(address.user).watch(['**'], updated, { onError: () => this.#forget(uri) }),
      )
  }

  #forget(uri: string): void {
    this.#followed.get(uri)?.()
    this.#followed.delete(uri)
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function read(message: unknown) {
  const { id, method, params } = isObject(message) ? message : {}
  return { id, method, params: isObject(params) ? params : {} }
}

function urisIn(params: Readonly<Record<string, unknown>>): readonly string[] {
  const filter = isObject(params['notifications']) ? params['notifications'] : {}
  const uris = filter['resourceSubscriptions']
  return Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string').slice(0, MAX_FOLLOWED) : []
}

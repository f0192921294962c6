import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { Patterns } from '../../model/pattern.ts'
import { addressOf } from '../../model/toolset/resource.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'

const EVERYTHING = new Patterns(['**'])

/**
 * What one stream of change notifications hears: of the users and handoffs it has named, only what its own session could
 * notice by reading. A change of a hidden field is no event here.
 */
export class Listening implements ServerEventBus {
  readonly #desk: Desk
  readonly #session: Session
  readonly #uris: readonly string[]
  readonly #stops = new Map<string, () => void>()
  readonly #leave: (() => void)[] = []

  constructor(desk: Desk, session: Session, uris: readonly string[]) {
    this.#desk = desk
    this.#session = session
    this.#uris = uris
  }

  /** Events have one source each; nobody publishes by hand. */
  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    const { house, keeper } = this.#desk
    const updated = (uri: string) => listener({ kind: 'resource_updated', uri })
    const handoffs = new Map<string, string>()
    for (const uri of this.#uris) {
      const address = addressOf(uri)
      if (!address) continue
      if ('handoff' in address) handoffs.set(address.handoff, uri)
      else this.#follow(address.user, () => updated(uri)).catch(house.onFault)
    }
    this.#leave.push(
      house.authority.onChangeOf(this.#session.agent, (_, user) => {
        const uri = this.#uris.find(each => userAt(each) === user)
        if (uri !== undefined) this.#refollow(user, () => updated(uri))
      }),
      keeper.counter.overhear({
        session: this.#session,
        push: text => {
          const uri = handoffs.get(idIn(text))
          if (uri !== undefined) updated(uri)
        },
      }),
    )
    return () => this.#end()
  }

  /** The room is held while it is watched. Who may not reach the user hears nothing, as if nothing ever changed. */
  async #follow(user: string, changed: () => void): Promise<void> {
    const { house, rooms } = this.#desk
    const scope = house.authority.scope(this.#session, user)
    if (!scope.ok) return
    let isWanted = true
    this.#stops.set(user, () => {
      isWanted = false
    })
    const { room, release } = await rooms.hold(user)
    if (!isWanted) return release()
    const ended = () => {
      this.#forget(user)
      changed()
    }
    const stop = room.watch({ scope: scope.value, fields: EVERYTHING, task: '', changed, ended })
    this.#stops.set(user, () => {
      stop()
      release()
    })
  }

  /** What the agent may read of the user has changed, which is a change of what it reads. */
  #refollow(user: string, changed: () => void): void {
    this.#forget(user)
    this.#follow(user, changed).then(changed, this.#desk.house.onFault)
  }

  #forget(user: string): void {
    this.#stops.get(user)?.()
    this.#stops.delete(user)
  }

  #end(): void {
    for (const leave of this.#leave.splice(0)) leave()
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
  }
}

function userAt(uri: string): string | undefined {
  const address = addressOf(uri)
  return address && 'user' in address ? address.user : undefined
}

/** Of `{"handoff":{"id":…}}`; offers are told elsewhere. */
function idIn(text: string): string {
  const frame: unknown = JSON.parse(text)
  if (typeof frame !== 'object' || frame === null || !('handoff' in frame)) return ''
  const { handoff } = frame
  return typeof handoff === 'object' && handoff !== null && 'id' in handoff ? String(handoff.id) : ''
}

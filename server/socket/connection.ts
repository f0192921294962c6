import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { type Refusal, SelfsameError } from '../../model/error.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Scope } from '../../model/scope.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { HandoffSeen } from '../../model/wire/handoff.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import { Pace } from '../audit/pace.ts'
import { aliases, join, part } from '../operation/alias.ts'
import { audit } from '../operation/audit.ts'
import type { Desk } from '../operation/desk.ts'
import { erase } from '../operation/erase.ts'
import { exported } from '../operation/export.ts'
import { context, explain, model, type Read } from '../operation/read.ts'
import { parse, type WatchRequest } from '../operation/request.ts'
import { correct, observe, retract } from '../operation/write.ts'
import { Following } from '../replica/following.ts'
import type { Change } from '../room/watchers.ts'
import type { Followed } from './followed.ts'
import { type Frame, MAX_DEPTH, REQUESTS, readFrame } from './frame.ts'
import type { Guest } from './guest.ts'
import { isHandoffOp, performHandoff } from './handoff-frame.ts'
import { HandoffList } from './handoff-list.ts'
import { Line, type Message } from './line.ts'
import type { Turns } from './turns.ts'
import { WorkWatch } from './work-watch.ts'

/** One agent at the socket, working on any number of users. Requests run side by side; answers go out as they are ready. */
export class Connection implements Guest {
  readonly session: Session
  readonly closed: Promise<void>
  readonly #line: Line
  readonly #desk: Desk
  readonly #keeper: Doorkeeper
  readonly #watches = new Map<number, Watching>()
  readonly #leave: (() => void)[]
  #inFlight = 0
  #isDraining = false
  #drained: (() => void) | undefined

  constructor(socket: WebSocket, wire: Socket, session: Session, desk: Desk, keeper: Doorkeeper, turns: Turns) {
    const { limits, now } = desk.house
    this.session = session
    this.#desk = desk
    this.#keeper = keeper
    this.#line = new Line(socket, wire, { limits, now, turns }, message => {
      this.#receive(message)
      return undefined
    })
    this.closed = this.#line.closed.then(() => this.#end())
    this.#greet()
    this.#leave = [
      desk.keeper.join({ session, push: text => this.#line.outgoing.offer(text) }),
      desk.house.authority.onChangeOf(session.agent, (_, user) => this.#rescope(user)),
    ]
  }

  #greet(): void {
    const { agent, role, expires } = this.session
    const hello = { agent, role: role.name, schema: this.#desk.schemaFor(role), time: this.#desk.house.now(), expires }
    this.#line.outgoing.answer(JSON.stringify({ hello }))
  }

  ping(): boolean {
    return this.#line.ping()
  }

  review(now: number): void {
    this.#line.review(now)
  }

  close(code: number, reason: string): void {
    this.#line.close(code, reason)
  }

  terminate(): void {
    this.#line.terminate()
  }

  /** Takes up nothing more; settles when all that was taken up is answered. */
  drain(): Promise<void> {
    this.#isDraining = true
    if (this.#inFlight === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#drained = resolve
    })
  }

  #receive({ data, isBinary }: Message): void {
    const frame = isBinary ? undefined : readFrame(data)
    if (!frame)
      this.close(CLOSE.badFrame, `expected a JSON object with \`id\` and \`op\`, nested at most ${MAX_DEPTH} deep`)
    else if ('refusal' in frame) this.#refuse(frame.id, frame.refusal)
    else if (this.#isDraining) this.#refuse(frame.id, STOPPED)
    else if (this.#inFlight < this.#desk.house.limits.requestsInFlight) this.#answer(frame)
    else this.#refuse(frame.id, overloaded(this.#inFlight))
  }

  async #answer(frame: Frame): Promise<void> {
    const done = this.#keeper.begin('socket', frame.op, this.session, userIn(frame.parameters))
    this.#inFlight++
    try {
      this.#line.outgoing.answer(`{"id":${frame.id},"ok":${await this.#perform(frame)}}`)
      done()
    } catch (error) {
      this.#refuse(frame.id, error, done)
    } finally {
      this.#inFlight--
      if (this.#inFlight === 0) this.#drained?.()
    }
  }

  #refuse(id: number, error: unknown, done?: (code: Refusal['code']) => void): void {
    const refusal = this.#keeper.refusalOf(error)
    this.#line.outgoing.answer(JSON.stringify({ id, error: refusal }))
    done?.(refusal.code)
  }

  /** The answer as JSON text. */
  async #perform({ id, op, parameters }: Frame): Promise<string> {
    this.#keeper.admit(this.session)
    const [desk, session] = [this.#desk, this.session]
    if (isHandoffOp(op)) return performHandoff(desk, session, op, parameters)
    switch (op) {
      case 'observe':
        return JSON.stringify(await observe(desk, session, parse(REQUESTS[op], parameters)))
      case 'correct':
        return JSON.stringify(await correct(desk, session, parse(REQUESTS[op], parameters)))
      case 'retract':
        return JSON.stringify(await retract(desk, session, parse(REQUESTS[op], parameters)))
      case 'model':
        return columnsText(await model(desk, session, parse(REQUESTS[op], parameters)))
      case 'context':
        return JSON.stringify(await context(desk, session, parse(REQUESTS[op], parameters)))
      case 'explain':
        return JSON.stringify(await explain(desk, session, parse(REQUESTS[op], parameters)))
      case 'export':
        return JSON.stringify(await exported(desk, session, parse(REQUESTS[op], parameters)))
      case 'aliases':
        return JSON.stringify(aliases(desk, session, parse(REQUESTS[op], parameters).user))
      case 'join':
        return JSON.stringify(await join(desk, session, parse(REQUESTS[op], parameters)))
      case 'part':
        return JSON.stringify(await part(desk, session, parse(REQUESTS[op], parameters)))
      case 'erase':
        return JSON.stringify(await erase(desk, session, parse(REQUESTS[op], parameters).user))
      case 'audit':
        return JSON.stringify(await audit(desk, session, parse(REQUESTS[op], parameters)))
      case 'schema':
        return JSON.stringify(desk.schemaFor(session.role))
      case 'watch':
        return this.#watch(id, parse(REQUESTS[op], parameters))
      case 'watchHandoffs':
        return this.#watchHandoffs(id, parse(REQUESTS[op], parameters).state)
      case 'watchWork':
        return this.#watchWork(id, parse(REQUESTS[op], parameters).user)
      case 'replicate':
        return this.#replicate(id, parse(REQUESTS[op], parameters).user)
      case 'unwatch':
        return this.#unwatch(parse(REQUESTS[op], parameters).watch)
    }
  }

  /** The room is held while it is watched. What is answered is the state from which on changes are told. */
  async #watch(id: number, { user, fields, task = '' }: WatchRequest): Promise<string> {
    const scope = this.#desk.scope(this.session, user)
    this.#requirePlace(id)
    const { room, release } = await this.#reserved(id, this.#desk.rooms.hold(user))
    const { agent } = this.session
    const patterns = new Patterns(fields)
    const resync = JSON.stringify({ watch: id, user, resync: true })
    const { journal, onFault } = this.#desk.house
    const pace = new Pace(onFault)
    const within = (now: Scope) => {
      const tell = (change: Change) =>
        this.#line.outgoing.change(id, resync, () => {
          room.serve(agent, now.read.and(patterns))
          return changeText(id, user, this.#desk.version(room, change.seq), change)
        })
      const changed = (change: Change) =>
        pace.after(journal.showedFields(this.session, user, 'watch', [...change.beliefs.keys()]), () => tell(change))
      const ended = (reason: Refusal) => this.#endWatch(id, user, reason)
      return room.watch({ scope: now, fields: patterns, task, changed, ended })
    }
    this.#watches.set(id, { user, scope, within, stop: within(scope), release })
    const served = room.ask(scope, { fields: patterns, task })
    room.serve(agent, scope.read.and(patterns))
    const noted = journal.showed(this.session, user, 'watch', served)
    // What changes meanwhile is told after the answer.
    if (noted) pace.after(noted.then(nextTurn), nothing)
    await noted
    return columnsText({ user, version: this.#desk.version(room, served.seq), served })
  }

  #watchHandoffs(id: number, state: HandoffSeen['state'] | undefined): Promise<string> {
    const { listsPerConnection } = this.#desk.house.limits
    this.#requirePlace(id)
    if ([...this.#watches.values()].filter(({ isList }) => isList).length >= listsPerConnection)
      throw new SelfsameError({ code: 'overloaded', message: `At most ${listsPerConnection} lists a connection.` })
    const resync = JSON.stringify({ watch: id, resync: true })
    const list = new HandoffList(this.#desk, this.session, state, {
      changed: change => this.#line.outgoing.change(id, resync, () => JSON.stringify({ watch: id, ...change })),
      again: () => this.#line.outgoing.answer(resync),
    })
    return this.#follow(id, list, true)
  }

  #watchWork(id: number, user: string): Promise<string> {
    this.#requirePlace(id)
    const resync = JSON.stringify({ watch: id, user, resync: true })
    const work = new WorkWatch(this.#desk, this.session, user, {
      changed: text => this.#line.outgoing.change(id, resync, () => `{"watch":${id},${text.slice(1)}`),
      ended: error => {
        this.#unwatch(id)
        this.#line.outgoing.answer(JSON.stringify({ watch: id, user, ended: this.#keeper.refusalOf(error) }))
      },
    })
    return this.#follow(id, work, false)
  }

  async #follow(id: number, followed: Followed, isList: boolean): Promise<string> {
    this.#watches.set(id, { ...reserved(), isList, stop: () => followed.stop() })
    try {
      return await followed.begin()
    } catch (error) {
      this.#unwatch(id)
      throw error
    }
  }

  /** The same of evidence, for a replica that computes beliefs itself. */
  async #replicate(id: number, user: string): Promise<string> {
    const scope = this.#desk.scope(this.session, user)
    this.#requirePlace(id)
    const { room, release } = await this.#reserved(id, this.#desk.rooms.holdDocument(user))
    const following = new Following(id, this.session, room, this.#desk.house, this.#line.outgoing)
    const within = (now: Scope) => following.within(now)
    const leave = following.attend()
    const gone = () => {
      leave()
      release()
    }
    this.#watches.set(id, { user, scope, within, stop: within(scope), release: gone })
    return following.state(scope)
  }

  #requirePlace(id: number): void {
    const { watchesPerConnection } = this.#desk.house.limits
    if (this.#watches.has(id)) throw badRequest('This id watches already. Use a new id.')
    if (this.#watches.size >= watchesPerConnection)
      throw new SelfsameError({ code: 'overloaded', message: `At most ${watchesPerConnection} watches a connection.` })
  }

  /** What the agent may read has changed: its watches go on with that, from a state it has to read anew, or end. */
  #rescope(user: string): void {
    const scope = this.#desk.house.authority.scope(this.session, user)
    for (const [id, watching] of this.#watches) {
      if (watching.user !== user || (scope.ok && scope.value === watching.scope)) continue
      watching.stop()
      if (scope.ok) {
        this.#watches.set(id, { ...watching, scope: scope.value, stop: watching.within(scope.value) })
        this.#line.outgoing.answer(JSON.stringify({ watch: id, user, resync: true }))
      } else {
        this.#endWatch(id, user, scope.error)
      }
    }
  }

  /** Keeps the id of a watch that is being set up; who ends it meanwhile ends it for good. */
  async #reserved<T extends { readonly release: () => void }>(id: number, hold: Promise<T>): Promise<T> {
    const reservation = reserved()
    this.#watches.set(id, reservation)
    try {
      const held = await hold
      if (this.#watches.get(id) === reservation) return held
      held.release()
      throw badRequest('The watch was ended before it had begun.')
    } catch (error) {
      if (this.#watches.get(id) === reservation) this.#watches.delete(id)
      throw error
    }
  }

  #endWatch(id: number, user: string, ended: Refusal): void {
    end(this.#watches.get(id))
    this.#watches.delete(id)
    this.#line.outgoing.forget(id)
    this.#line.outgoing.answer(JSON.stringify({ watch: id, user, ended }))
  }

  #unwatch(id: number): string {
    end(this.#watches.get(id))
    this.#watches.delete(id)
    this.#line.outgoing.forget(id)
    return '{}'
  }

  #end(): void {
    for (const leave of this.#leave) leave()
    for (const watching of this.#watches.values()) end(watching)
    this.#watches.clear()
  }
}

/** A watch in its present scope, and how it goes on in another. */
interface Watching {
  readonly user: string
  readonly isList?: boolean
  readonly scope: Scope | undefined
  readonly within: (scope: Scope) => () => void
  readonly stop: () => void
  readonly release: () => void
}

const nothing = () => undefined
const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Keeps the place of a watch that is being set up. */
const reserved = (): Watching => ({
  user: '',
  scope: undefined,
  within: () => nothing,
  stop: nothing,
  release: nothing,
})

function end(watching: Watching | undefined): void {
  watching?.stop()
  watching?.release()
}

const userIn = (parameters: object): unknown => ('user' in parameters ? parameters.user : undefined)

const columnsText = ({ user, version, served }: Read): string =>
  `{"user":${JSON.stringify(user)},"version":"${version}","asOf":${served.asOf},"columns":${served.columns}}`

const changeText = (watch: number, user: string, version: string, { asOf, beliefs }: Change): string => {
  const shown = Object.fromEntries([...beliefs].map(([field, belief]) => [field, belief ?? null]))
  return JSON.stringify({ watch, user, version, asOf, beliefs: shown })
}

const badRequest = (message: string) => new SelfsameError({ code: 'bad_request', message })

const STOPPED = new SelfsameError({ code: 'stopped', message: 'The server is going down. Send again once it is back.' })

const overloaded = (count: number) =>
  new SelfsameError({ code: 'overloaded', message: `${count} requests of this connection are being worked on.` })

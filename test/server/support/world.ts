import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Service, type ServiceOptions, start } from '../../../server/service.ts'
import { StorageFailure } from '../../../server/store/storage.ts'
import { Caller } from './caller.ts'
import { Clock, DAY } from './clock.ts'
import { RawSocket } from './raw-socket.ts'

export type WorldOptions = Omit<ServiceOptions, 'port' | 'host' | 'now' | 'data'> & { readonly clock?: Clock }

/** A directory of the running test's own, gone after it. */
function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'selfsame-server-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A service on a free port with its data in a directory of its own, which a test may stop and start again. */
export class World {
  readonly data: string
  readonly clock: Clock
  readonly #options: WorldOptions
  #service: Service
  #isOpen = true

  private constructor(service: Service, data: string, clock: Clock, options: WorldOptions) {
    this.#service = service
    this.data = data
    this.clock = clock
    this.#options = options
  }

  static async start({ clock = new Clock(), ...options }: WorldOptions = {}): Promise<World> {
    const data = scratch()
    const world = new World(await start({ ...options, port: 0, data, now: clock.now }), data, clock, options)
    onTestFinished(() => world.stop())
    return world
  }

  get service(): Service {
    return this.#service
  }

  get url(): string {
    return this.#service.url
  }

  token(agent: string, role: string, ttl = 7 * DAY): Promise<string> {
    return this.#service.token(agent, role, ttl)
  }

  async as(agent: string, role: string): Promise<Caller> {
    return new Caller(this.url, await this.token(agent, role))
  }

  /** A greeted socket. */
  async socket(agent: string, role: string): Promise<RawSocket> {
    const socket = await this.open({ token: await this.token(agent, role) })
    await socket.hello()
    return socket
  }

  /** A socket that may or may not be let in. */
  async open(opening: Parameters<typeof RawSocket.open>[1]): Promise<RawSocket> {
    const socket = await RawSocket.open(this.url, opening)
    onTestFinished(() => socket.drop())
    return socket
  }

  async stop(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#service.close().catch(tolerate)
  }

  /** An orderly restart; another archive where the test has put one in the place of the embedded one. */
  async restart(other: Pick<ServiceOptions, 'archive'> = {}): Promise<void> {
    await this.stop()
    const { data, clock } = this
    this.#service = await start({ ...this.#options, ...other, port: 0, data, now: clock.now })
    this.#isOpen = true
  }
}

/** A store that a test broke can't be closed in order. */
function tolerate(error: unknown): void {
  if (!(error instanceof StorageFailure)) throw error
}

import { onTestFinished } from 'vitest'
import { type ConnectOptions, connectIn, type Desk } from '../../client/desk.ts'
import { environmentOf } from '../../client/environment.ts'
import type { Surroundings } from '../../client/session.ts'
import { openSocket } from '../../client/socket-node.ts'
import type { Definition } from '../../model/infer.ts'
import { type Greeting, type Peer, ScriptedServer } from './scripted-server.ts'

/** Node, but that a connection that is lost is tried again at once: the jitter always draws the shortest wait. */
export const impatient: Surroundings = { ...environmentOf(openSocket), random: () => 0 }

export async function scripted(): Promise<ScriptedServer> {
  const server = await ScriptedServer.start()
  onTestFinished(() => server.stop())
  return server
}

type Options<D extends Definition> = Partial<ConnectOptions<D>> & {
  readonly environment?: Surroundings
  readonly greeting?: Greeting
}

export function connecting<const D extends Definition = Definition>(
  server: ScriptedServer,
  { environment = impatient, greeting: _, ...options }: Options<D> = {},
): Promise<Desk<D>> {
  return connectIn<D>(environment, { url: server.url, token: 'secret', ...options })
}

/** A desk that is open, and the server's end of its connection. */
export async function deskAt<const D extends Definition = Definition>(
  server: ScriptedServer,
  options: Options<D> = {},
): Promise<{ desk: Desk<D>; peer: Peer }> {
  const [desk, peer] = await Promise.all([connecting<D>(server, options), server.greeted(options.greeting)])
  onTestFinished(() => desk.close({ within: 0 }))
  return { desk, peer }
}

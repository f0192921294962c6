import { bare, browserEnvironment } from './bare-environment.ts'
import type { Surroundings } from './session.ts'
import type { OpenSocket } from './socket.ts'

// What computes beliefs is loaded by those who use it.
const replicas = () => import('./replica/replica.ts')

export const environmentOf = (open: OpenSocket): Surroundings => ({ ...bare(open), replicas })

/** Node is asked for by name, and its part is loaded only there: a page never loads `ws`. */
export async function environment(): Promise<Surroundings> {
  return isNode() ? nodeEnvironment() : { ...browserEnvironment(), replicas }
}

async function nodeEnvironment(): Promise<Surroundings> {
  const { openSocket } = await import('./socket-node.ts')
  return environmentOf(openSocket)
}

const isNode = (): boolean => typeof process === 'object' && typeof process.versions?.node === 'string'

import { onTestFinished } from 'vitest'
import { connectIn, type Desk } from '../../client/desk.ts'
import { environmentOf } from '../../client/environment.ts'
import type { Offer } from '../../client/offer.ts'
import { openSocket } from '../../client/socket-node.ts'

const impatient = { ...environmentOf(openSocket), random: () => 0 }

interface Server {
  readonly url: string
  token(agent: string, role?: string): Promise<string>
}

/** An agent of the SDK at a server. */
export async function deskOf(server: Server, agent: string, role: string): Promise<Desk> {
  const desk = await connectIn(impatient, { url: server.url, token: await server.token(agent, role) })
  onTestFinished(() => desk.close({ within: 0 }))
  return desk
}

/** The next offer that reaches a desk. */
export const offered = (desk: Desk, id?: string): Promise<Offer> =>
  new Promise(resolve => {
    const stop = desk.onOffer(offer => {
      if (id !== undefined && offer.id !== id) return
      stop()
      resolve(offer)
    })
  })

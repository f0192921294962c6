import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What to answer: a status, with a place to go to if it has one, or nothing at all. */
export type Reaction = number | { readonly status: number; readonly location: string } | 'silence'

/** An address that webhooks are sent to. */
export class Receiver {
  readonly url: URL
  readonly received: Received[] = []
  readonly #waiting: (() => void)[] = []

  private constructor(url: URL) {
    this.url = url
  }

  /** Reacts to the first request with the first reaction and so on, and with the last to all others. */
  static async start(...reactions: readonly Reaction[]): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      const reaction = reactions[Math.min(receiver.received.length, reactions.length - 1)] ?? 204
      receiver.#take({ headers: request.headers, body })
      if (reaction === 'silence') return
      if (typeof reaction === 'number') response.writeHead(reaction).end()
      else response.writeHead(reaction.status, { location: reaction.location }).end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const receiver = new Receiver(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`))
    return receiver
  }

  /** The requests so far, once there are so many. */
  async count(wanted: number): Promise<readonly Received[]> {
    while (this.received.length < wanted) await new Promise<void>(resolve => this.#waiting.push(resolve))
    return this.received
  }

  get ids(): (string | string[] | undefined)[] {
    return this.received.map(({ headers }) => headers['webhook-id'])
  }

  #take(received: Received): void {
    this.received.push(received)
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

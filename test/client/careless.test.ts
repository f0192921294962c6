import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectIn } from '../../client/desk.ts'
import { impatient, scripted } from './desk-at.ts'
import { type Asked, idsOf, type Peer, type ScriptedServer } from './scripted-server.ts'

/** What a server may do to a write; `lost` means that it did it and the answer never arrived. */
const FATES = ['answered', 'lost', 'dropped', 'overloaded', 'reordered'] as const
type Fate = (typeof FATES)[number]

const RUNS = process.env['SELFSAME_LONG'] === '1' ? 2_000 : 60

/** A server with a ledger and a will of its own: after the script is used up it behaves. */
class CarelessServer {
  readonly ledger = new Map<string, number>()
  readonly #server: ScriptedServer
  readonly #script: Fate[]
  #isOver = false

  constructor(server: ScriptedServer, script: readonly Fate[]) {
    this.#server = server
    this.#script = [...script]
  }

  async run(): Promise<void> {
    while (!this.#isOver) await this.#serve(await this.#server.greeted())
  }

  end(): void {
    this.#isOver = true
  }

  async #serve(peer: Peer): Promise<void> {
    const gone = peer.closed().then(() => undefined)
    const held: Asked[] = []
    for (;;) {
      const asked = await Promise.race([peer.asked(), gone])
      if (!asked || !this.#treat(peer, asked, held)) return
    }
  }

  /** False when the connection is over. */
  #treat(peer: Peer, asked: Asked, held: Asked[]): boolean {
    const fate = this.#script.shift() ?? 'answered'
    if (fate === 'overloaded') peer.refuse(asked, 'overloaded')
    else if (fate === 'dropped') peer.drop()
    else this.#commit(asked)
    if (fate === 'lost') peer.drop()
    if (fate === 'answered' || fate === 'reordered') held.push(asked)
    // Something is held back only while there is something that can overtake it.
    if (fate !== 'reordered' || peer.unread === 0) for (const one of held.splice(0).reverse()) peer.admit(one)
    return fate !== 'lost' && fate !== 'dropped'
  }

  #commit(asked: Asked): void {
    for (const id of idsOf(asked)) if (!this.ledger.has(id)) this.ledger.set(id, this.ledger.size)
  }
}

test('[SDK-38] whatever a server does to writes, each is committed once under its id and its promise resolves', async () => {
  const server = await scripted()
  const script = fc.array(fc.constantFrom(...FATES), { maxLength: 30 })
  const property = fc.asyncProperty(script, fc.integer({ min: 1, max: 12 }), async (fates, writes) => {
    const careless = new CarelessServer(server, fates)
    const running = careless.run()
    const desk = await connectIn(impatient, { url: server.url, token: 'x' })
    const user = desk.user('u_42')
    const written = await Promise.all(Array.from({ length: writes }, (_, i) => user.observe({ 'need.order': `${i}` })))
    const ids = written.flatMap(({ outcomes }) => outcomes.map(({ id }) => id))
    careless.end()
    await desk.close()
    await running
    expect(new Set(ids).size).toBe(writes)
    expect([...careless.ledger.keys()].sort()).toEqual([...ids].sort())
  })
  await fc.assert(property, { numRuns: RUNS })
})

import { jwtVerify } from 'jose'
import { loadHocuspocus } from './hocuspocus.ts'
import { EVIDENCE, type Piece } from './opened.ts'

/** A process that serves documents by Hocuspocus, to whoever has a token of the kind that our server takes. */

export interface PeerTask {
  readonly folder: string
  /** In hexadecimal. */
  readonly secret: string
  readonly documents: Readonly<Record<string, Readonly<Record<string, Piece>>>>
}

async function serve({ folder, secret, documents }: PeerTask): Promise<void> {
  const { Server } = (await loadHocuspocus(folder)).server
  const key = Buffer.from(secret, 'hex')
  const server = new Server({
    port: 0,
    address: '127.0.0.1',
    quiet: true,
    onAuthenticate: ({ token }) =>
      jwtVerify(token, key, { algorithms: ['HS256'], requiredClaims: ['sub', 'exp', 'jti'] }),
  })
  await server.listen()
  for (const [name, pieces] of Object.entries(documents)) {
    // It stays open, so that the document stays in memory.
    const connection = await server.hocuspocus.openDirectConnection(name)
    await connection.transact(document => {
      const map = document.getMap<Piece>(EVIDENCE)
      for (const [id, piece] of Object.entries(pieces)) map.set(id, piece)
    })
  }
  process.send?.(`ws://127.0.0.1:${server.address.port}`)
}

process.once('message', (task: PeerTask) => {
  serve(task)
})
process.once('disconnect', () => process.exit())

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

/** An identity provider: a server that publishes its keys, and what makes tokens with them. */
export class KeyServer {
  readonly url: URL
  readonly #key: CryptoKey

  private constructor(url: URL, key: CryptoKey) {
    this.url = url
    this.#key = key
  }

  static async start(alg = 'ES256'): Promise<KeyServer> {
    const { publicKey, privateKey } = await generateKeyPair(alg)
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg, use: 'sig' }]
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    return new KeyServer(new URL(`http://127.0.0.1:${port}/keys`), privateKey)
  }

  token(claims: Readonly<Record<string, unknown>>, alg = 'ES256', kid = 'k1'): Promise<string> {
    return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid }).sign(this.#key)
  }
}

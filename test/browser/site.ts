import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))
const HEAD = '<!doctype html><title>a page of its own</title><link rel="icon" href="data:,">'
const CLIENT = `<script type="module">import { connect } from '/client/index.js'; globalThis.connect = connect</script>`
const OWN = '<script type="module" src="/own.js"></script>'

const pageOf = (own: string | undefined): string => HEAD + (own === undefined ? CLIENT : OWN)

/** A web site of another origin than the server's, with the built client on it as it is: no bundler in between. */
export class Site {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** With a script of the test's own in the place of the built client, if one is given. */
  static async open(own?: string): Promise<Site> {
    const server = createServer(async ({ url = '/' }, response) => {
      const path = normalize(new URL(url, 'http://site').pathname)
      if (extname(path) !== '.js') return response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(own))
      const script = own ?? (await readFile(join(DIST, path)).catch(() => undefined))
      return response.writeHead(script ? 200 : 404, { 'content-type': 'text/javascript' }).end(script)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return new Site(server)
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { EVIDENCE, type Open, type Piece, said, socketWith } from './opened.ts'

const FOLDER = join(process.cwd(), 'node_modules/.cache/selfsame-bench/hocuspocus')
const NODE = `node-${process.platform}-${process.arch}`
/** Version 4 needs a Node that is newer than the oldest we run on, so it brings its own. */
const PACKAGES = ['@hocuspocus/server@4', '@hocuspocus/provider@4', 'yjs@13', 'y-protocols@1', `${NODE}@24`]
const COMMAND = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', FOLDER, ...PACKAGES]
const INSTALL_WITHIN = 180_000

/** Where Hocuspocus is and the Node that it runs on, or why it can't be had. */
export type Fetched =
  | { readonly isThere: true; readonly folder: string; readonly node: string; readonly version: string }
  | { readonly isThere: false; readonly reason: string }

/** As much of Hocuspocus as is used here. */
export interface Hocuspocus {
  readonly provider: { readonly HocuspocusProvider: new (options: ProviderOptions) => { destroy(): void } }
  readonly server: { readonly Server: new (options: ServerOptions) => PeerServer }
  readonly yjs: typeof import('yjs')
}

interface ProviderOptions {
  readonly url: string
  readonly name: string
  readonly document: import('yjs').Doc
  readonly token: string
  readonly WebSocketPolyfill: typeof globalThis.WebSocket
  readonly onSynced: () => void
  readonly onAuthenticationFailed: (failure: { readonly reason: string }) => void
}

interface ServerOptions {
  readonly port: number
  readonly address: string
  readonly quiet: boolean
  readonly onAuthenticate: (asked: { readonly token: string }) => Promise<unknown>
}

interface PeerServer {
  readonly address: { readonly port: number }
  readonly hocuspocus: {
    openDirectConnection(name: string): Promise<{
      transact(act: (document: import('yjs').Doc) => void): Promise<void>
    }>
  }
  listen(): Promise<unknown>
}

/** Fetches it from the registry into a cache, unless it is there. */
export async function fetchHocuspocus(): Promise<Fetched> {
  const node = join(FOLDER, 'node_modules', NODE, 'bin/node')
  try {
    if (!existsSync(node)) {
      console.log(`fetching Hocuspocus and the Node it needs: npm ${COMMAND.join(' ')}`)
      mkdirSync(FOLDER, { recursive: true })
      await promisify(execFile)('npm', COMMAND, { timeout: INSTALL_WITHIN })
    }
    return { isThere: true, folder: FOLDER, node, version: versionIn(FOLDER) }
  } catch (error) {
    const [why] = String(error instanceof Error ? error.message : error).split('\n')
    return { isThere: false, reason: `${why}. To get it: npm ${COMMAND.join(' ')}` }
  }
}

const versionIn = (folder: string): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(folder, 'node_modules/@hocuspocus/server/package.json'), 'utf8'))).version

/** To be called on the Node it needs. All parts share one Yjs, as two in one process are no friends. */
export async function loadHocuspocus(folder: string): Promise<Hocuspocus> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (name: string) => import(pathToFileURL(resolve(name)).href)
  const [provider, server, yjs] = await Promise.all(['@hocuspocus/provider', '@hocuspocus/server', 'yjs'].map(load))
  return { provider, server, yjs }
}

/** The provider of Hocuspocus at its own server. */
export function byHocuspocus({ provider: { HocuspocusProvider }, yjs }: Hocuspocus, url: string, token: string): Open {
  const polyfill = socketWith({})
  return async user => {
    const document = new yjs.Doc()
    const provider = await new Promise<InstanceType<typeof HocuspocusProvider>>((resolve, reject) => {
      const made = new HocuspocusProvider({
        url,
        name: user,
        document,
        token,
        WebSocketPolyfill: polyfill,
        onSynced: () => resolve(made),
        onAuthenticationFailed: ({ reason }) => reject(new Error(`Hocuspocus refused: ${reason}`)),
      })
    })
    return {
      read: () => said(document.getMap<Piece>(EVIDENCE).values()),
      close: () => {
        provider.destroy()
        document.destroy()
      },
    }
  }
}

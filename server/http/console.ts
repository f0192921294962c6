import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'

const KINDS: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const YEAR = 31_536_000
const MISSING = 'The console is not built. Run `npm run build`.'

/** This file is server/http/console.ts in the sources and dist/server/http/console.js when built. */
const BUILT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : '../../console/', import.meta.url),
)

/** The console: a few files, held in memory by name, so that no path leads anywhere else. */
export function consolePaths(app: OpenAPIHono, frameAncestors: readonly string[]): void {
  const files = existsSync(BUILT) ? filesIn(BUILT) : new Map<string, Uint8Array<ArrayBuffer>>()
  const headers = { 'content-security-policy': policyFor(frameAncestors), 'referrer-policy': 'no-referrer' }
  app.get('/console', c => c.redirect('/console/'))
  app.get('/console/*', c => {
    const name = c.req.path.slice('/console/'.length)
    const asset = files.get(name)
    if (asset && name !== 'index.html') return send(c, name, asset, headers, `public, max-age=${YEAR}, immutable`)
    if (name.startsWith('assets/')) return c.notFound()
    const index = files.get('index.html')
    return index ? send(c, 'index.html', index, headers, 'no-cache') : c.text(MISSING, 404)
  })
}

function filesIn(folder: string): Map<string, Uint8Array<ArrayBuffer>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = entries.map(entry => join(entry.parentPath, entry.name))
  return new Map(
    paths.map(path => [path.slice(folder.length).replaceAll('\\', '/'), new Uint8Array(readFileSync(path))]),
  )
}

/** Nothing but what this server sends runs, is shown or is talked to. */
const policyFor = (frameAncestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
  ].join('; ')

const send = (
  c: Context,
  name: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  caching: string,
): Response =>
  c.body(body, 200, {
    ...headers,
    'content-type': KINDS[extname(name)] ?? 'application/octet-stream',
    'cache-control': caching,
  })

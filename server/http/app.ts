import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { SelfsameError } from '../../model/error.ts'
import type { ObserveAnswer } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Links } from '../access/link.ts'
import { isWelcome } from '../access/origin.ts'
import type { Session } from '../access/session.ts'
import type { McpDoor } from '../mcp/mcp-door.ts'
import type { Metrics } from '../metrics.ts'
import { aliases, join, part } from '../operation/alias.ts'
import { audit } from '../operation/audit.ts'
import type { Desk } from '../operation/desk.ts'
import { erase } from '../operation/erase.ts'
import { exportPage, exportUser } from '../operation/export.ts'
import { context, explain, model, type Read } from '../operation/read.ts'
import {
  aliasRequest,
  auditRequest,
  contextRequest,
  correctRequest,
  explainRequest,
  exportRequest,
  linkRequest,
  modelRequest,
  observeRequest,
  parse,
  retractRequest,
  revokeRequest,
  userRequest,
} from '../operation/request.ts'
import { revoke } from '../operation/revoke.ts'
import { correct, observe, retract } from '../operation/write.ts'
import { consolePaths } from './console.ts'
import { handoffPaths, handoffRoutes } from './handoff-route.ts'
import { PAGE } from './page.ts'
import { readQuery } from './query.ts'
import { ROUTES, refusedAnswer } from './route.ts'
import { statusOf } from './status.ts'

export interface HttpHouse {
  readonly desk: Desk
  readonly keeper: Doorkeeper
  readonly metrics: Metrics
  readonly origins: readonly string[]
  readonly version: string
  readonly isReady: () => boolean
  readonly links: Links
  readonly frameAncestors: readonly string[]
  readonly mcp: McpDoor
}

type Handler = (session: Session, c: Context) => Promise<Response>

/** The HTTP door: every operation, and what operators ask. */
export function httpApp({
  desk,
  keeper,
  metrics,
  origins,
  version,
  isReady,
  links,
  frameAncestors,
  mcp,
}: HttpHouse): OpenAPIHono {
  const app = new OpenAPIHono()

  /** One request of an authenticated agent, timed, counted and bounded like at every other door. */
  const as =
    (operation: string, handle: Handler) =>
    async (c: Context): Promise<Response> => {
      const session = await desk.gate.byHeader(c.req.header('authorization'))
      const done = keeper.begin('http', operation, session, c.req.param('user'))
      try {
        if (!session) throw unauthorized()
        keeper.admit(session)
        const response = await handle(session, c)
        done()
        return response
      } catch (error) {
        const refusal = keeper.refusalOf(error)
        done(refusal.code)
        return c.json({ error: refusal }, statusOf(refusal.code))
      }
    }

  app.use(secureHeaders())
  const bounded = bodyLimit({
    maxSize: desk.house.limits.messageBytes,
    onError: c => refused(c, tooLarge(desk.house.limits.messageBytes)),
  })
  app.use('/v1/*', cors({ origin: [...origins], allowHeaders: ['authorization', 'content-type'] }), bounded)
  app.use('/mcp', cors({ origin: [...origins] }), bounded)

  const welcome = new Set(origins)
  app.all('/mcp', async c => {
    if (!isWelcome(c.req.header('origin'), c.req.header('host'), welcome)) return refused(c, foreign())
    return as('mcp', (session, { req }) => mcp.serve(session, req.raw))(c)
  })

  app.get(
    '/v1/schema',
    as('schema', async (session, c) => c.json(desk.schemaFor(session.role))),
  )
  app.post(
    '/v1/users/:user/observations',
    as('observe', async (session, c) =>
      outcomes(c, await observe(desk, session, parse(observeRequest, await inBody(c)))),
    ),
  )
  app.post(
    '/v1/users/:user/corrections',
    as('correct', async (session, c) =>
      outcomes(c, await correct(desk, session, parse(correctRequest, await inBody(c)))),
    ),
  )
  app.post(
    '/v1/users/:user/retractions',
    as('retract', async (session, c) => {
      const request = { user: c.req.param('user'), retraction: await readJson(c) }
      return outcomes(c, await retract(desk, session, parse(retractRequest, request)))
    }),
  )
  app.get(
    '/v1/users/:user/model',
    as('model', async (session, c) => beliefs(c, await model(desk, session, parse(modelRequest, asked(c))))),
  )
  app.get(
    '/v1/users/:user/context',
    as('context', async (session, c) => c.json(await context(desk, session, parse(contextRequest, asked(c))))),
  )
  app.get(
    '/v1/users/:user/evidence',
    as('explain', async (session, c) => c.json(await explain(desk, session, parse(explainRequest, asked(c))))),
  )
  app.get(
    '/v1/users/:user/export',
    as('export', async (session, c) => {
      const { user, format } = parse(exportRequest, asked(c))
      if (format !== 'markdown') return c.json(await exportUser(desk, session, user))
      const { text } = await exportPage(desk, session, user)
      return c.body(text, 200, { 'content-type': 'text/markdown; charset=utf-8' })
    }),
  )
  app.get(
    '/v1/users/:user/aliases',
    as('aliases', async (session, c) => c.json(aliases(desk, session, parse(userRequest, asked(c)).user))),
  )
  app.post(
    '/v1/users/:user/aliases',
    as('join', async (session, c) => c.json(await join(desk, session, parse(aliasRequest, await inBody(c))))),
  )
  app.delete(
    '/v1/users/:user/aliases',
    as('part', async (session, c) => c.json(await part(desk, session, parse(aliasRequest, asked(c))))),
  )
  app.get(
    '/v1/users/:user/audit',
    as('audit', async (session, c) => c.json(await audit(desk, session, parse(auditRequest, asked(c))))),
  )
  app.delete(
    '/v1/users/:user',
    as('erase', async (session, c) => c.json(await erase(desk, session, parse(userRequest, asked(c)).user))),
  )
  app.post(
    '/v1/tickets',
    as('ticket', async (session, c) => {
      desk.house.journal.did(session, undefined, 'ticket')
      return c.json({ ticket: desk.gate.tickets.issue(session), expires: session.expires })
    }),
  )
  app.post('/v1/links', async c => c.json(await links.redeem(parse(linkRequest, await readJson(c)).code)))
  app.post(
    '/v1/revocations',
    as('revoke', async (session, c) => {
      await revoke(desk, session, parse(revokeRequest, await readJson(c)))
      return c.json({})
    }),
  )

  handoffPaths(app, desk, as, readJson)

  app.get('/healthz', c => c.json({ status: 'ok' }))
  app.get('/readyz', c => (isReady() ? c.json({ status: 'ready' }) : c.json({ status: 'not ready' }, 503)))
  app.get('/metrics', async c =>
    c.text(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),
  )
  app.get('/', c => c.redirect('/docs'))
  app.get('/docs', c => c.html(PAGE))
  consolePaths(app, frameAncestors)

  for (const route of [...ROUTES, ...handoffRoutes(refusedAnswer)]) app.openAPIRegistry.registerPath(route)
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  })
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Selfsame', version, description: 'What every agent has learned of a user, as beliefs that fade.' },
  })

  app.notFound(c =>
    refused(c, new SelfsameError({ code: 'not_found', message: 'Nothing is here. See /openapi.json.' })),
  )
  app.onError((error, c) => {
    const refusal = keeper.refusalOf(error)
    return c.json({ error: refusal }, statusOf(refusal.code))
  })
  return app
}

const asked = (c: Context): unknown => ({ ...readQuery(c.req.query()), user: c.req.param('user') })

async function inBody(c: Context): Promise<unknown> {
  const body = await readJson(c)
  return typeof body === 'object' && body !== null ? { ...body, user: c.req.param('user') } : body
}

async function readJson(c: Context): Promise<unknown> {
  const text = await c.req.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new SelfsameError({ code: 'bad_request', message: 'The body is not JSON.' })
  }
}

const outcomes = (c: Context, answer: ObserveAnswer): Response =>
  c.json(answer, answer.outcomes.every(outcome => outcome.status === 'refused') ? 422 : 200)

const beliefs = (c: Context, { user, version, served }: Read): Response =>
  c.body(
    `{"user":${JSON.stringify(user)},"version":"${version}","asOf":${served.asOf},"beliefs":${served.json}}`,
    200,
    { 'content-type': 'application/json' },
  )

const refused = (c: Context, error: SelfsameError): Response =>
  c.json({ error: { code: error.code, message: error.message } }, statusOf(error.code))

const unauthorized = () =>
  new SelfsameError({ code: 'unauthorized', message: 'Send a valid token as `Authorization: Bearer TOKEN`.' })

const foreign = () => new SelfsameError({ code: 'forbidden', message: 'This origin is not on the allow-list.' })

const tooLarge = (bytes: number) =>
  new SelfsameError({ code: 'too_large', message: `A body has at most ${bytes} bytes.` })

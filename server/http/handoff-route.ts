import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Session } from '../access/session.ts'
import { accept, type Delivered } from '../operation/accept.ts'
import type { Desk } from '../operation/desk.ts'
import { deskFrames } from '../operation/desk-frames.ts'
import { frames } from '../operation/frames.ts'
import { hand, handBack, start } from '../operation/handoff.ts'
import * as shape from '../operation/handoff-request.ts'
import { handoffs, inspect, works } from '../operation/handoffs.ts'
import { checkpoint, complete, decline, fail, may, renew, replay, report, withdraw } from '../operation/holding.ts'
import { answer, ask, release } from '../operation/overlap.ts'
import { replayAll } from '../operation/replay.ts'
import { parse } from '../operation/request.ts'
import { stats } from '../operation/stats.ts'
import { verify } from '../operation/verify.ts'
import {
  broadcastSeenShape,
  deliveryShape,
  deskFramesShape,
  framesShape,
  handoffSeenShape,
  listedShape,
  permissionShape,
  replayedShape,
  verificationShape,
  worksShape,
} from './handoff-shape.ts'
import { qualityShape } from './quality-shape.ts'

type Handle = (session: Session, c: Context) => Promise<Response>
type As = (operation: string, handle: Handle) => (c: Context) => Promise<Response>

/** What is done with a handoff by its id: `POST /v1/handoffs/{id}/NAME`. */
const ACTS = {
  accept: {
    summary: 'Take the work: answers with all that is needed to go on',
    body: shape.acceptRequest,
    answer: deliveryShape,
  },
  decline: { summary: 'Say no, and why', body: shape.declineRequest, answer: handoffSeenShape },
  renew: { summary: 'A sign of life: the lease runs anew', body: shape.renewRequest, answer: handoffSeenShape },
  work: {
    summary: 'Report threads, validations, notes, agreements, decisions, and what the user was asked for',
    body: shape.reportRequest,
    answer: handoffSeenShape,
  },
  checkpoint: {
    summary: 'A point from which another can go on',
    body: shape.checkpointRequest,
    answer: handoffSeenShape,
  },
  complete: {
    summary: 'Done, with a result that fits what is expected',
    body: shape.completeRequest,
    answer: handoffSeenShape,
  },
  fail: { summary: 'Give up, for good or so that another tries', body: shape.failRequest, answer: handoffSeenShape },
  return: { summary: 'Hand back to whom it came from', body: shape.returnRequest, answer: handoffSeenShape },
  ask: { summary: 'Ask whoever handed the work on', body: shape.askRequest, answer: handoffSeenShape },
  answer: { summary: 'Answer what the holder asked', body: shape.answerRequest, answer: handoffSeenShape },
  release: { summary: 'End the time to ask and answer', body: shape.releaseRequest, answer: handoffSeenShape },
  revoke: { summary: 'End its authority at once', body: shape.withdrawRequest, answer: handoffSeenShape },
  replay: {
    summary: 'A person sends what is parked or failed on its way again',
    body: shape.replayRequest,
    answer: handoffSeenShape,
  },
  may: { summary: 'Whether the grant lets its holder do something', body: shape.mayRequest, answer: permissionShape },
} as const

type Act = keyof typeof ACTS
const NAMES = Object.keys(ACTS) as Act[]

/** The answer of an act as JSON text. */
async function perform(desk: Desk, session: Session, act: Act, given: unknown): Promise<string> {
  switch (act) {
    case 'accept':
      return deliveredText(await accept(desk, session, parse(ACTS[act].body, given)))
    case 'decline':
      return JSON.stringify(await decline(desk, session, parse(ACTS[act].body, given)))
    case 'renew':
      return JSON.stringify(await renew(desk, session, parse(ACTS[act].body, given)))
    case 'work':
      return JSON.stringify(await report(desk, session, parse(ACTS[act].body, given)))
    case 'checkpoint':
      return JSON.stringify(await checkpoint(desk, session, parse(ACTS[act].body, given)))
    case 'complete':
      return JSON.stringify(await complete(desk, session, parse(ACTS[act].body, given)))
    case 'fail':
      return JSON.stringify(await fail(desk, session, parse(ACTS[act].body, given)))
    case 'return':
      return JSON.stringify(await handBack(desk, session, parse(ACTS[act].body, given)))
    case 'ask':
      return JSON.stringify(await ask(desk, session, parse(ACTS[act].body, given)))
    case 'answer':
      return JSON.stringify(await answer(desk, session, parse(ACTS[act].body, given)))
    case 'release':
      return JSON.stringify(await release(desk, session, parse(ACTS[act].body, given)))
    case 'revoke':
      return JSON.stringify(await withdraw(desk, session, parse(ACTS[act].body, given)))
    case 'replay':
      return JSON.stringify(await replay(desk, session, parse(ACTS[act].body, given)))
    case 'may':
      return JSON.stringify(await may(desk, session, parse(ACTS[act].body, given)))
  }
}

const deliveredText = ({ delivery, served }: Delivered): string =>
  `${JSON.stringify(delivery).slice(0, -1)},"beliefs":${served.json}}`

const json = (c: Context, text: string): Response => c.body(text, 200, { 'content-type': 'application/json' })

/** Puts the paths of handoffs on the HTTP door. */
export function handoffPaths(app: OpenAPIHono, desk: Desk, as: As, readJson: (c: Context) => Promise<unknown>): void {
  const inBody = async (c: Context, more: object) => {
    const body = await readJson(c)
    return typeof body === 'object' && body !== null ? { ...body, ...more } : body
  }
  app.post(
    '/v1/users/:user/work',
    as('start', async (session, c) => {
      const given = await inBody(c, { user: c.req.param('user') })
      return json(c, deliveredText(await start(desk, session, parse(shape.startRequest, given))))
    }),
  )
  app.get(
    '/v1/users/:user/work',
    as('works', async (session, c) => c.json(works(desk, session, c.req.param('user') ?? ''))),
  )
  app.get(
    '/v1/users/:user/frames',
    as('frames', async (session, c) => {
      const { limit, ...rest } = c.req.query()
      const asked = { ...rest, user: c.req.param('user'), ...(limit !== undefined && { limit: Number(limit) }) }
      return c.json(await frames(desk, session, parse(shape.framesRequest, asked)))
    }),
  )
  app.get(
    '/v1/frames',
    as('deskFrames', async (session, c) => {
      const { limit, ...rest } = c.req.query()
      const asked = { ...rest, ...(limit !== undefined && { limit: Number(limit) }) }
      return c.json(await deskFrames(desk, session, parse(shape.deskFramesRequest, asked)))
    }),
  )
  app.post(
    '/v1/handoffs',
    as('handoff', async (session, c) => c.json(await hand(desk, session, shape.readHanding(await readJson(c))))),
  )
  app.post(
    '/v1/handoffs/replay',
    as('replayAll', async (session, c) =>
      c.json(await replayAll(desk, session, parse(shape.replayAllRequest, await readJson(c)))),
    ),
  )
  app.get(
    '/v1/handoffs',
    as('handoffs', async (session, c) =>
      c.json(await handoffs(desk, session, parse(shape.handoffsRequest, c.req.query()))),
    ),
  )
  app.get(
    '/v1/handoffs/stats',
    as('stats', async (session, c) => c.json(stats(desk, session, parse(shape.statsRequest, c.req.query())))),
  )
  app.get(
    '/v1/handoffs/:handoff',
    as('inspect', async (session, c) => {
      const { handoff } = parse(shape.inspectRequest, { handoff: c.req.param('handoff') })
      return c.json(await inspect(desk, session, handoff))
    }),
  )
  app.get(
    '/v1/handoffs/:handoff/verify',
    as('verify', async (session, c) => {
      const { handoff } = parse(shape.inspectRequest, { handoff: c.req.param('handoff') })
      return c.json(await verify(desk, session, handoff))
    }),
  )
  for (const act of NAMES)
    app.post(
      `/v1/handoffs/:handoff/${act}`,
      as(act, async (session, c) => {
        const given = await inBody(c, { handoff: c.req.param('handoff') })
        return json(c, await perform(desk, session, act, given))
      }),
    )
}

const answered = (schema: z.ZodType, refused: object) => ({
  responses: { 200: { description: 'Done.', content: { 'application/json': { schema } } }, default: refused },
  security: [{ bearer: [] }],
})
const body = (schema: z.ZodType) => ({ body: { content: { 'application/json': { schema } } } })
const params = (name: 'user' | 'handoff') => ({ params: z.object({ [name]: z.string() }) })

/** The same paths as the OpenAPI document tells them. */
export const handoffRoutes = (refused: { description: string }) => [
  createRoute({
    method: 'post',
    path: '/v1/users/{user}/work',
    summary: 'Start work on what a user wants, as its first holder',
    request: { ...params('user'), ...body(shape.startRequest.omit({ user: true })) },
    ...answered(deliveryShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/users/{user}/work',
    summary: 'Open work of a user',
    request: params('user'),
    ...answered(worksShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/users/{user}/frames',
    summary: 'The archive of handoffs: what each carried, showed and led to',
    request: { ...params('user'), query: shape.framesRequest.omit({ user: true }) },
    ...answered(framesShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/frames',
    summary: 'The same of all users, one after the other: for people of the desk who reach every user',
    request: { query: shape.deskFramesRequest },
    ...answered(deskFramesShape, refused),
  }),
  createRoute({
    method: 'post',
    path: '/v1/handoffs',
    summary: 'Hand work on to an agent or a role, or with `mode: broadcast` a part of its own to each of many',
    request: body(shape.handRequest),
    ...answered(z.union([handoffSeenShape, broadcastSeenShape]), refused),
  }),
  createRoute({
    method: 'post',
    path: '/v1/handoffs/replay',
    summary: 'A person sends all that is parked or failed on its way again, some at a time',
    request: body(shape.replayAllRequest),
    ...answered(replayedShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/handoffs',
    summary: 'Handoffs by state, page by page: offers to you, yours, and those of users you reach',
    request: { query: shape.handoffsRequest },
    ...answered(listedShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/handoffs/stats',
    summary: 'How well handoffs go, by role and time: for people of the desk',
    request: { query: shape.statsRequest },
    ...answered(qualityShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/handoffs/{handoff}',
    summary: 'One handoff, with what it carries as far as you may see it',
    request: params('handoff'),
    ...answered(handoffSeenShape, refused),
  }),
  createRoute({
    method: 'get',
    path: '/v1/handoffs/{handoff}/verify',
    summary: 'Whether the chain up to a handoff is as it was sealed, or the first hop that is not',
    request: params('handoff'),
    ...answered(verificationShape, refused),
  }),
  ...NAMES.map(act =>
    createRoute({
      method: 'post',
      path: `/v1/handoffs/{handoff}/${act}`,
      summary: ACTS[act].summary,
      request: { ...params('handoff'), ...body(ACTS[act].body) },
      ...answered(ACTS[act].answer, refused),
    }),
  ),
]

import { createRoute, z } from '@hono/zod-openapi'
import {
  aliasRequest,
  auditRequest,
  contextRequest,
  explainRequest,
  exportRequest,
  linkRequest,
  modelRequest,
  revokeRequest,
} from '../operation/request.ts'
import {
  aliasesShape,
  auditShape,
  contextShape,
  correctBody,
  erasedShape,
  explanationShape,
  exportShape,
  linkShape,
  modelShape,
  observeBody,
  outcomesShape,
  refusalShape,
  retractBody,
  schemaSeenShape,
  ticketShape,
} from './answer-shape.ts'

/** Every path that is served, as the OpenAPI document tells it. */

const json = (schema: z.ZodType, description: string) => ({ description, content: { 'application/json': { schema } } })
export const refusedAnswer = json(refusalShape, 'Refused: the code says why, the message what to do.')
const params = z.object({ user: z.string() })
const secured = { security: [{ bearer: [] }] }

const get = (path: string, summary: string, answer: z.ZodType, query?: z.ZodObject, of: 'user' | 'desk' = 'user') =>
  createRoute({
    method: 'get',
    path,
    summary,
    ...secured,
    request: { ...(of === 'user' && { params }), ...(query && { query }) },
    responses: { 200: json(answer, 'Done.'), default: refusedAnswer },
  })

const post = (path: string, summary: string, body: z.ZodType, answer: z.ZodType, of: 'user' | 'desk' = 'user') =>
  createRoute({
    method: 'post',
    path,
    summary,
    ...secured,
    request: { ...(of === 'user' && { params }), body: { content: { 'application/json': { schema: body } } } },
    responses: { 200: json(answer, 'Done.'), default: refusedAnswer },
  })

const inQuery = (shape: z.ZodObject): z.ZodObject => shape.omit({ user: true })

const aliasBody = inQuery(aliasRequest).openapi('Join')

export const ROUTES = [
  get('/v1/schema', 'The schema as this token sees it', schemaSeenShape, undefined, 'desk'),
  post('/v1/users/{user}/observations', 'Say what was learned of a user', observeBody, outcomesShape),
  post('/v1/users/{user}/corrections', 'Say what is so, as a person', correctBody, outcomesShape),
  post('/v1/users/{user}/retractions', 'Take words back', retractBody, outcomesShape),
  get('/v1/users/{user}/model', 'What is believed of a user', modelShape, inQuery(modelRequest)),
  get('/v1/users/{user}/context', 'The same for a prompt, within a budget', contextShape, inQuery(contextRequest)),
  get(
    '/v1/users/{user}/evidence',
    'Each word under a belief and its share now',
    explanationShape,
    inQuery(explainRequest),
  ),
  createRoute({
    method: 'get',
    path: '/v1/users/{user}/export',
    summary: 'Everything that is kept of a user, with who said it when and why',
    ...secured,
    request: { params, query: inQuery(exportRequest) },
    responses: {
      200: {
        description: 'For programs, or with `format=markdown` for a person.',
        content: { 'application/json': { schema: exportShape }, 'text/markdown': { schema: z.string() } },
      },
      default: refusedAnswer,
    },
  }),
  get('/v1/users/{user}/aliases', 'The other names of a user', aliasesShape),
  post(
    '/v1/users/{user}/aliases',
    'Join another name: what is known of it is known of the user',
    aliasBody,
    aliasesShape,
  ),
  createRoute({
    method: 'delete',
    path: '/v1/users/{user}/aliases',
    summary: 'Part a name again: the join is undone exactly',
    ...secured,
    request: { params, query: inQuery(aliasRequest) },
    responses: { 200: json(aliasesShape, 'Done.'), default: refusedAnswer },
  }),
  createRoute({
    method: 'delete',
    path: '/v1/users/{user}',
    summary: 'Erase a user: everything known of them, under all their names, for good',
    ...secured,
    request: { params },
    responses: { 200: json(erasedShape, 'Done.'), default: refusedAnswer },
  }),
  get(
    '/v1/users/{user}/audit',
    'Who saw, said or did what of a user, the latest first',
    auditShape,
    inQuery(auditRequest),
  ),
  createRoute({
    method: 'post',
    path: '/v1/links',
    summary: 'A one-use link for a token: what a page sends that was opened by it',
    security: [],
    request: { body: { content: { 'application/json': { schema: linkRequest } } } },
    responses: { 200: json(linkShape, 'Done.'), default: refusedAnswer },
  }),
  post('/v1/tickets', "A ticket for a browser's socket", z.object({}), ticketShape, 'desk'),
  post('/v1/revocations', 'End a token, or every token of an agent', revokeRequest, z.object({}), 'desk'),
] as const

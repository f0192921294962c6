import { mkdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { type Logger, pino } from 'pino'
import { desk as sampleDesk } from '../model/sample/desk.ts'
import type { Schema } from '../model/schema.ts'
import { Authority } from './access/authority.ts'
import { Doorkeeper } from './access/doorkeeper.ts'
import { Gate } from './access/gate.ts'
import { Links } from './access/link.ts'
import { Policy } from './access/policy.ts'
import { Rate } from './access/rate.ts'
import { Revocations } from './access/revocation.ts'
import { type Guest, SignedLinks } from './access/signed-link.ts'
import { Tickets } from './access/ticket.ts'
import { type Issuer, localSecret, mintToken, verifierOf } from './access/token.ts'
import { Aliases } from './alias/aliases.ts'
import { Journal } from './audit/journal.ts'
import { Keeper } from './handoff/keeper.ts'
import { OfferWebhooks } from './handoff/offer-webhooks.ts'
import { httpApp } from './http/app.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { McpDoor } from './mcp/mcp-door.ts'
import { Metrics } from './metrics.ts'
import { Desk } from './operation/desk.ts'
import { isSupervising } from './operation/stats.ts'
import { HandoffMetrics } from './quality/handoff-metrics.ts'
import { openIn, Quality } from './quality/quality.ts'
import { Retention } from './retention/retention.ts'
import type { House } from './room/house.ts'
import { Rooms } from './room/rooms.ts'
import { Versions } from './room/version.ts'
import { inTurns } from './socket/pipelines.ts'
import { SocketDoor } from './socket/socket-door.ts'
import { Turns } from './socket/turns.ts'
import type { Archive } from './store/archive.ts'
import { type KeyFlags, openArchive } from './store/open-archive.ts'
import { type Pace, Webhook, type WebhookEvent, type WebhookOptions } from './webhook.ts'
import { webhookSecret } from './webhook-secret.ts'

export interface ServiceOptions {
  readonly host?: string
  /** 0 picks a free one. */
  readonly port?: number
  /** Where data, keys and the local secret are kept. */
  readonly data?: string
  /** Where the key comes from that wraps all others; else it is in `master.key` beside the data. */
  readonly masterKey?: KeyFlags
  readonly schema?: Schema
  /** Where an identity provider publishes its keys; without it tokens are made with the local secret. */
  readonly jwks?: URL
  readonly audience?: string
  /** Origins of web pages, besides the server's own, whose scripts may connect. */
  readonly origins?: readonly string[]
  /** Origins of web pages that may show the console in a frame. */
  readonly frameAncestors?: readonly string[]
  /** The file of the secret that a help desk signs links to the console with; without it, it can't. */
  readonly linkSecretFile?: string
  readonly limits?: Partial<Limits>
  readonly log?: Logger
  readonly now?: () => number
  /** From 0 to 1, 1 excluded: spreads deliveries over time. */
  readonly chance?: () => number
  /** By role: where agents without a socket are told of offers. */
  readonly offerWebhooks?: Readonly<Record<string, URL>>
  /** The file of the secret that webhooks are signed with; without it, `webhook.secret` beside the data. */
  readonly webhookSecretFile?: string
  readonly webhookPace?: Partial<Pace>
  /** Where alerts are told besides sockets and the log. */
  readonly alertWebhook?: URL
  /** In the place of the embedded store. */
  readonly archive?: Archive
}

export interface Service {
  readonly url: string
  /** A token of the local secret; refused when an identity provider makes them. */
  token(agent: string, role: string, ttl?: number): Promise<string>
  /** An address of the console that signs in once, as an agent in a role, within some minutes. */
  consoleLink(agent: string, role: string): string
  /** Puts a new master key in force while serving; its file is replaced. */
  rotateKeys(): Promise<void>
  /**
   * Puts another schema in force at once. What is stored is kept and understood under it; connections come back under it,
   * those of roles that are no more do not. Settles when every user at hand is understood anew.
   */
  adopt(schema: Schema): Promise<void>
  /** Takes no more, answers what was asked, and closes the store. */
  close(): Promise<void>
  /** Settles, with the reason, when the store has failed: nothing is served any more and the process should end. */
  readonly failed: Promise<Error>
}

/** Milliseconds for what was asked to be answered when the service closes, and for agents to hear that it does. */
const ANSWER_GRACE = 3_000
const CLOSE_GRACE = 3_000
/** Connections beyond those of agents, so that operators get an answer when agents have taken all of theirs. */
const FOR_OPERATORS = 1 / 8
const IDLE_CHECK = 20
const DAY = 86_400_000
const SETTING = 'revocations'
const NOTE_EVERY = 30_000
const COUNT_EVERY = 5_000
const SIGN_EVERY = 60_000

export async function start(options: ServiceOptions = {}): Promise<Service> {
  const { data = './data' } = options
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const archive = options.archive ?? (await openArchive(data, options.masterKey))
  try {
    return await serve(archive, data, options)
  } catch (error) {
    await archive.close()
    throw error
  }
}

async function serve(archive: Archive, data: string, options: ServiceOptions): Promise<Service> {
  const { host = '127.0.0.1', port = 8787, schema = sampleDesk, now = Date.now } = options
  const log = options.log ?? pino({ level: 'silent' })
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const secret = localSecret(join(data, 'secret'))
  const issuer: Issuer = options.jwks ? { keys: options.jwks, audience: options.audience } : { secret }

  const metrics = new Metrics({ rooms: () => rooms.size, connections: () => door.size })
  const aliases = new Aliases(archive)
  const policy = new Policy(schema)
  const authority = new Authority(now, aliases, policy)
  const onFault = (error: unknown) => log.error({ err: error }, 'background work failed')
  const handoffOf = authority.handoffOf.bind(authority)
  const journal = new Journal({ audit: archive.audit, schema: () => policy.schema, now, handoffOf, onFault })
  await journal.begin()
  const house: House = {
    journal,
    get schema() {
      return policy.schema
    },
    archive,
    limits,
    now,
    authority,
    aliases,
    onDamage: damage => {
      metrics.damaged.inc(damage.length)
      log.error({ damage }, 'records of a user could not be read; the rest is served')
    },
    onFault,
    onSought: (sought, at) => quality.sought(sought, at),
  }
  const rooms = new Rooms(house)
  const revocations = new Revocations({
    read: () => archive.setting(SETTING),
    write: entries => archive.putSetting(SETTING, entries),
    digestOf: agent => archive.digestOf(agent),
  })
  const gate = new Gate(
    verifierOf(issuer, () => policy.schema),
    new Tickets(),
    revocations,
    policy,
    now,
  )
  const onLost = ({ id, type }: WebhookEvent, why: string) => {
    metrics.webhookEventsLost.inc({ type })
    log.warn({ id, type, why }, 'a webhook did not take an event')
  }
  const webhooks = offerWebhooksOf(data, options, onLost)
  const keeper = new Keeper(house, rooms, options.chance ?? Math.random, webhooks)
  const alertWebhook = options.alertWebhook && webhookAt(options.alertWebhook, data, options, onLost)
  const quality = new Quality({
    keeper,
    keeping: { read: key => archive.setting(key), write: (key, value) => archive.putSetting(key, value) },
    metrics: new HandoffMetrics(metrics.registry, () => openIn(keeper)),
    log,
    now,
    webhook: alertWebhook,
    isTold: role => isSupervising(policy.schema.roles.get(role)),
  })
  await keeper.resume()
  const desk = new Desk(house, rooms, new Versions(secret), gate, keeper, quality)
  const doorkeeper = new Doorkeeper(
    new Rate(limits.requestsPerSecond, limits.requestBurst),
    metrics,
    log,
    now,
    denial => journal.denied(denial),
  )
  const origins = options.origins ?? []
  const turns = new Turns()
  const door = new SocketDoor(desk, doorkeeper, metrics, origins, turns)
  const mint = (agent: string, role: string, ttl = DAY / 2) => mintToken(secret, { agent, role, ttl, now: now() })
  const { linkSecretFile } = options
  const signed =
    linkSecretFile === undefined ? undefined : new SignedLinks(localSecret(linkSecretFile), () => policy.schema, now)
  const noteLink = (what: string, { agent, role }: Guest): void => {
    const isSelf = policy.schema.roles.get(role)?.reach === 'self'
    journal.note({ at: now(), kind: 'link', what, agent, role, ...(isSelf && { user: agent }) })
  }
  const links = new Links(
    async ({ agent, role }) => {
      noteLink('used', { agent, role })
      return { token: await mint(agent, role), expires: now() + DAY / 2 }
    },
    now,
    signed,
  )
  const { frameAncestors = [] } = options
  let isReady = true
  const ready = () => isReady
  const version = versionOf()
  const mcp = new McpDoor(desk, doorkeeper, version)
  const app = httpApp({
    ...{ desk, keeper: doorkeeper, metrics, origins, links, frameAncestors, mcp, version },
    isReady: ready,
  })
  const server = createServer(
    {
      headersTimeout: limits.headersDeadline,
      requestTimeout: limits.requestDeadline,
      connectionsCheckingInterval: 1_000,
    },
    inTurns(turns, getRequestListener(app.fetch)),
  )
  server.maxConnections = limits.connections + Math.ceil(limits.connections * FOR_OPERATORS)
  server.setTimeout(limits.requestDeadline)
  server.on('upgrade', (request, socket, head) => door.upgrade(request, socket, head))
  await listen(server, port, host)
  door.watch()

  const noting = setInterval(() => rooms.note(), NOTE_EVERY)
  const counting = setInterval(() => quality.flush().catch(house.onFault), COUNT_EVERY)
  const signing = setInterval(() => journal.sign().catch(onFault), SIGN_EVERY)
  const reviewing = setInterval(() => mcp.review(), limits.tokenCheck)
  const retention = new Retention(house, keeper)
  const forgetting = setInterval(() => retention.look().catch(onFault), limits.retentionCheck)
  const ticking = setInterval(() => keeper.tick().catch(house.onFault), limits.handoffCheck)
  const stopServing = async (answering: number): Promise<void> => {
    isReady = false
    clearInterval(noting)
    clearInterval(ticking)
    clearInterval(forgetting)
    clearInterval(counting)
    clearInterval(signing)
    clearInterval(reviewing)
    mcp.close()
    await Promise.all([door.close(answering, CLOSE_GRACE), closeHttp(server, answering)])
  }
  const failed = archive.failed.then(async error => {
    log.fatal({ err: error }, 'the store has failed; nothing more is acknowledged or served')
    await stopServing(0)
    return error
  })

  return {
    url: urlOf(server, host),
    token: mint,
    consoleLink: (agent, role) => {
      noteLink('issued', { agent, role })
      return `${urlOf(server, host)}/console/#link=${links.issue({ agent, role })}`
    },
    failed,
    async rotateKeys() {
      await archive.rotate()
      journal.note({ at: now(), kind: 'keys', what: 'rotated' })
      await journal.flush()
    },
    adopt: async next => {
      policy.adopt(next)
      door.renew()
      await rooms.renew()
    },
    async close() {
      await stopServing(ANSWER_GRACE)
      await retention.idle()
      await keeper.idle()
      await webhooks.close()
      await alertWebhook?.close()
      await rooms.close()
      await quality.flush()
      await journal.close()
      await archive.close()
    },
  }
}

function offerWebhooksOf(data: string, options: ServiceOptions, onLost: WebhookOptions['onLost']): OfferWebhooks {
  const given = Object.entries(options.offerWebhooks ?? {})
  return new OfferWebhooks(new Map(given.map(([role, url]) => [role, webhookAt(url, data, options, onLost)])))
}

function webhookAt(url: URL, data: string, options: ServiceOptions, onLost: WebhookOptions['onLost']): Webhook {
  const { webhookSecretFile = join(data, 'webhook.secret'), webhookPace: pace = {} } = options
  return new Webhook({ url, secret: webhookSecret(webhookSecretFile), onLost, pace })
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(whyNot(error, port, host), { cause: error }))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })

function whyNot(error: Error, port: number, host: string): string {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use. Stop what uses it, or choose another port.`
  if (code === 'EACCES') return `Port ${port} of ${host} may not be used by this account. Choose one above 1023.`
  return `Can't listen on port ${port} of ${host}: ${error.message}.`
}

/** Connections that are not asking anything end at once, the others when they have their answer or time is up. */
async function closeHttp(server: Server, answering: number): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve))
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK)
  const late = setTimeout(() => server.closeAllConnections(), answering)
  if (answering === 0) server.closeAllConnections()
  await closed
  clearInterval(idle)
  clearTimeout(late)
}

const urlOf = (server: Server, host: string): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`

/** The package's own version; this file is server/service.ts in the sources and dist/server/service.js when built. */
function versionOf(): string {
  const inSources = new URL('../package.json', import.meta.url)
  const inBuild = new URL('../../package.json', import.meta.url)
  const file = import.meta.url.endsWith('.ts') ? inSources : inBuild
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : '0'
}

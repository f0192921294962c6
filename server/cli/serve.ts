import { pino } from 'pino'
import { evolve } from '../../model/evolution.ts'
import type { Schema } from '../../model/schema.ts'
import { type Service, start } from '../service.ts'
import { linesOf } from './check.ts'
import { readConfig } from './config.ts'
import { portOf, readFlags, requireNoRest } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { ROTATE } from './keys.ts'
import { UsageError } from './usage.ts'

const FLAGS = [
  'host',
  'port',
  'data',
  ...KEY_FLAGS,
  'config',
  'jwks',
  'audience',
  'log',
  'webhook-secret',
  'link-secret',
  'alert-webhook',
] as const
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export async function serve(args: readonly string[]): Promise<void> {
  const line = readFlags(args, FLAGS, ['origin', 'frame-ancestors', 'offer-webhook'])
  requireNoRest(line)
  const { flags, lists } = line
  const { host = '127.0.0.1', port = '8787', data = './data', log: level = 'warn' } = flags
  if (!LEVELS.includes(level)) throw new UsageError(`--log is one of ${LEVELS.join(', ')}.`)
  const schema = readConfig(flags.config)
  if (flags['link-secret'] !== undefined && flags.jwks !== undefined)
    throw new UsageError('--link-secret goes without --jwks: an identity provider signs people in itself.')
  const service = await start({
    host,
    port: portOf(port),
    data,
    schema,
    masterKey: keyFlagsOf(flags),
    ...(flags.jwks !== undefined && { jwks: urlOf(flags.jwks) }),
    ...(flags.audience !== undefined && { audience: flags.audience }),
    ...(flags['link-secret'] !== undefined && { linkSecretFile: flags['link-secret'] }),
    ...(flags['webhook-secret'] !== undefined && { webhookSecretFile: flags['webhook-secret'] }),
    ...(flags['alert-webhook'] !== undefined && { alertWebhook: webAddress(flags['alert-webhook']) }),
    offerWebhooks: offerWebhooksOf(lists['offer-webhook'] ?? [], schema),
    origins: lists['origin'] ?? [],
    frameAncestors: lists['frame-ancestors'] ?? [],
    log: pino({ level }, pino.destination(2)),
  })
  console.log(`listening on ${service.url}`)
  if (flags.jwks === undefined) console.log(consoleSteps(service, schema) + firstSteps(service.url, data))
  const stopReloading = reloading(service, schema, flags.config)
  await untilAsked(service)
  stopReloading()
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new UsageError('--jwks is a URL.')
  return new URL(text)
}

/** Of `billing=https://desk.example/offers`: to whom offers to a role are sent besides its sockets. */
function offerWebhooksOf(given: readonly string[], { roles }: Schema): Record<string, URL> {
  return Object.fromEntries(
    given.map(text => {
      const [, role = '', address = ''] = /^([^=]*)=(.*)$/.exec(text) ?? []
      if (!roles.has(role) || !isWebAddress(address))
        throw new UsageError(
          `--offer-webhook is ROLE=URL, with http or https and one of the roles ${[...roles.keys()].join(', ')}.`,
        )
      return [role, new URL(address)]
    }),
  )
}

function webAddress(text: string): URL {
  if (!isWebAddress(text)) throw new UsageError('--alert-webhook is a URL with http or https.')
  return new URL(text)
}

/** Without a name and password, which can't be sent. */
const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:\/\/[^@/]+(\/|$)/.test(new URL(text).href)

/** For the first role of people; whoever reads this output can mint any token anyway. */
function consoleSteps(service: Service, { roles }: Schema): string {
  const person = [...roles.values()].find(({ authority }) => authority === 'human')
  if (!person) return ''
  return `
  The console, signed in as ${person.name} (this link works once, for 15 minutes):

    ${service.consoleLink('console', person.name)}
`
}

const firstSteps = (url: string, data: string): string => `
  Mint a token, write a first belief and read it:

    TOKEN=$(npx selfsame token --agent bot-1 --role triage${data === './data' ? '' : ` --data ${data}`})
    curl -X POST ${url}/v1/users/u_42/observations -H "Authorization: Bearer $TOKEN" \\
      -d '{"observations":[{"field":"need.issue","value":"unauthorized_recurring_charge","confidence":0.95}]}'
    curl ${url}/v1/users/u_42/model -H "Authorization: Bearer $TOKEN"

  Every operation: ${url}/docs
`

/**
 * On SIGHUP the schema is read anew. A signal, as whoever changes a schema decides when: a watched file would put in force
 * what is half saved. One that has a mistake is refused, and the one in force stays.
 */
function reloading(service: Service, first: Schema, file: string | undefined): () => void {
  let schema = first
  const reload = async () => {
    const next = readConfig(file)
    const lines = linesOf(evolve(schema, next))
    await service.adopt(next)
    schema = next
    console.log(`schema ${file ?? 'of the sample desk'} is in force:\n${lines.map(line => `  ${line}`).join('\n')}`)
  }
  const asked = () => {
    reload().catch((error: unknown) => {
      console.error(`The schema stays as it was. ${error instanceof Error ? error.message : error}`)
    })
  }
  process.on('SIGHUP', asked)
  return () => process.off('SIGHUP', asked)
}

/** Serves until asked to stop or until the store fails, which ends the process loudly. */
async function untilAsked(service: Service): Promise<void> {
  process.on(ROTATE, () =>
    service.rotateKeys().then(
      () => console.log('the master key was replaced'),
      (error: unknown) => console.error(`The master key was not replaced: ${error}`),
    ),
  )
  const asked = new Promise<'asked'>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('asked'))
  })
  const reason = await Promise.race([asked, service.failed])
  if (reason === 'asked') {
    await service.close()
    return
  }
  console.error(
    `The store has failed: ${reason.message}\nNothing was acknowledged that it does not hold. Start again to go on.`,
  )
  process.exit(70)
}

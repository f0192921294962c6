import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT, scratch, selfsame } from '../process/program.ts'
import { Serving } from '../process/serving.ts'

async function taken(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('[CLI-1] `serve` tells where it listens and how to mint a token, and what it tells works', async () => {
  const data = scratch()
  const { url, program } = await Serving.serve(data)
  await program.line(/Every operation: /)
  expect(program.output).toContain(`npx selfsame token --agent bot-1 --role triage --data ${data}`)
  const minting = selfsame(['token', '--agent', 'bot-1', '--role', 'triage', '--data', data])
  await minting.ended
  const [, body] = /-d '(\{.*\})'/.exec(program.output) ?? []
  const headers = { authorization: `Bearer ${minting.output}` }
  const written = await fetch(`${url}/v1/users/u_42/observations`, { method: 'POST', headers, body: body ?? '' })
  expect(written.status).toBe(200)
  const model = await fetch(`${url}/v1/users/u_42/model`, { headers })
  expect(await model.json()).toMatchObject({ beliefs: { 'need.issue': { value: 'unauthorized_recurring_charge' } } })
})

test('[CLI-2] a second process on the same data is refused, and says which process holds it', async () => {
  const data = scratch()
  const first = await Serving.serve(data)
  const second = selfsame(['serve', '--port', '0', '--data', data])
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.errors).toMatch(/^selfsame: The data in .+ is in use by process \d+\. Stop it first/)
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
})

test('[CLI-3] a port that is in use is named, the process ends, and the data is free again', async () => {
  const [data, port] = [scratch(), await taken()]
  const refused = selfsame(['serve', '--port', `${port}`, '--data', data])
  expect(await refused.ended).toEqual({ code: 1, signal: null })
  expect(refused.errors).toContain(`Port ${port} of 127.0.0.1 is in use.`)
  expect(refused.errors).not.toContain('    at ')
  await Serving.serve(data)
})

const AT_ONCE = 4

const BAD_LINES: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
  'an unknown flag': [['serve', '--prot', '80'], /Unknown option '--prot'\. Flags of this command: --host, --port, /],
  'a flag without a value': [['serve', '--port'], /--port.*Flags of this command: /],
  'a word that stands alone': [['serve', 'now'], /"now" stands alone/],
  'a port that is none': [['serve', '--port', '80x'], /--port is a number from 0 to 65535/],
  'a port beyond all': [['serve', '--port', '65536'], /--port is a number from 0 to 65535/],
  'a level that is none': [['serve', '--log', 'loud'], /--log is one of fatal, /],
  'a URL that is none': [['serve', '--jwks', 'keys'], /--jwks is a URL/],
  'a webhook for no role': [['serve', '--offer-webhook', 'boss=https://a.example'], /--offer-webhook is ROLE=URL/],
  'a webhook that is no web address': [
    ['serve', '--offer-webhook', 'billing=file:///etc/passwd'],
    /--offer-webhook is/,
  ],
  'an alert webhook that is no web address': [
    ['serve', '--alert-webhook', 'ftp://a.example'],
    /--alert-webhook is a URL/,
  ],
  'a config that is not there': [['serve', '--config', 'nowhere.json'], /nowhere\.json can't be read/],
  'no agent': [['token', '--role', 'triage'], /--agent is 1 to 128 letters/],
  'an agent that no id can be': [['token', '--agent', 'a b', '--role', 'triage'], /--agent is 1 to 128 letters/],
  'an unknown role': [['token', '--agent', 'a', '--role', 'boss'], /--role is one of triage, billing, tech, human/],
  'a time that is none': [
    ['token', '--agent', 'a', '--role', 'triage', '--ttl', 'long'],
    /--ttl is a time such as 15m/,
  ],
  'a token that never ends': [
    ['token', '--agent', 'a', '--role', 'triage', '--ttl', 'never'],
    /--ttl is a time such as/,
  ],
  'an unknown flag of token': [['token', '--user', 'a'], /Unknown option '--user'\. Flags of this command: --agent/],
  'no file to check': [['check'], /Name one NEW\.json/],
  'no user to export': [['export'], /Name one USER/],
  'two users to export': [['export', 'a', 'b'], /Name one USER/],
  'no file to import': [['import'], /Name one FILE/],
  'data that is not there': [['export', 'u_1', '--data', 'nowhere'], /There is no data in nowhere/],
  'an unknown command': [['srve'], /No command "srve"[\s\S]*selfsame serve/],
  'the name of a method all objects have': [['toString'], /No command "toString"/],
}

test('[CLI-4] a line that can not be meant ends with code 2 and says what is allowed', async () => {
  const directory = scratch()
  const lines = Object.entries(BAD_LINES)
  for (let from = 0; from < lines.length; from += AT_ONCE)
    await Promise.all(
      lines.slice(from, from + AT_ONCE).map(async ([what, [args, message]]) => {
        const program = selfsame(args, { directory })
        expect(await program.ended, what).toEqual({ code: 2, signal: null })
        expect(program.errors, what).toMatch(message)
        expect(program.output, what).toBe('')
      }),
    )
})

test('[CLI-5] `token` prints a token alone, and the secret it made is for its owner only', async () => {
  const data = join(scratch(), 'made')
  const program = selfsame(['token', '--agent', 'bot', '--role', 'triage', '--ttl', '15m', '--data', data])
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(program.lines).toHaveLength(1)
  const [, payload = ''] = program.output.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  expect(claims).toMatchObject({ sub: 'bot', role: 'triage', jti: expect.any(String) })
  expect(claims.exp - claims.iat).toBeGreaterThanOrEqual(900)
  expect(statSync(join(data, 'secret')).mode & 0o777).toBe(0o600)
})

test('[CLI-6] every flag may be set as SELFSAME_*, and a flag wins', async () => {
  const [data, other] = [scratch(), scratch()]
  const environment = { SELFSAME_DATA: data, SELFSAME_PORT: '0', SELFSAME_AGENT: 'env', SELFSAME_ROLE: 'triage' }
  const served = selfsame(['serve'], { environment, directory: other })
  const [, url] = await served.line(/^listening on (\S+)$/)
  const minted = selfsame(['token', '--agent', 'flag'], { environment, directory: other })
  await minted.ended
  const response = await fetch(`${url}/v1/schema`, { headers: { authorization: `Bearer ${minted.output}` } })
  expect(response.status).toBe(200)
  expect(Buffer.from(minted.output.split('.')[1] ?? '', 'base64url').toString()).toContain('"sub":"flag"')
  const elsewhere = selfsame(['token', '--data', other], { environment })
  await elsewhere.ended
  const refused = await fetch(`${url}/v1/schema`, { headers: { authorization: `Bearer ${elsewhere.output}` } })
  expect(refused.status).toBe(401)
})

test('[CLI-7] a config that is no schema is refused with every mistake and its path', async () => {
  const directory = scratch()
  const config = {
    fields: { 'a.b': { kind: 'choise', halfLife: '7 days' }, 'a.c': { kind: 'flag', hafLife: '7d' } },
    roles: { bot: { read: ['a.b'], wirte: ['a.*'] } },
  }
  writeFileSync(join(directory, 'bad.json'), JSON.stringify(config))
  writeFileSync(join(directory, 'no.json'), '{')
  const program = selfsame(['serve', '--config', 'bad.json', '--port', '0'], { directory })
  expect(await program.ended).toEqual({ code: 2, signal: null })
  for (const path of ['fields["a.b"].kind: ', 'fields["a.c"]: ', 'roles.bot.write: ', 'roles.bot: '])
    expect(program.errors).toContain(path)
  const noJson = selfsame(['serve', '--config', 'no.json'], { directory })
  expect(await noJson.ended).toEqual({ code: 2, signal: null })
  expect(noJson.errors).toMatch(/no\.json is not JSON: /)
})

test('[CLI-8] `help` lists the commands, and so does nothing at all; `version` is that of the package', async () => {
  for (const args of [['help'], []]) {
    const program = selfsame(args)
    expect(await program.ended).toEqual({ code: 0, signal: null })
    for (const command of ['serve', 'token', 'check', 'export', 'import', 'demo', 'bench'])
      expect(program.output).toContain(`selfsame ${command}`)
  }
  const version = selfsame(['version'])
  await version.ended
  expect(version.output).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
})

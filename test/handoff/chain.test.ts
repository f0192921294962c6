import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Program, scratch } from '../server/process/program.ts'
import { Serving } from '../server/process/serving.ts'

const HOLDER = fileURLToPath(new URL('./holder.mjs', import.meta.url))
const CHAIN = ['triage', 'billing', 'tech', 'human']
const PLACES = ['accepted', 'look', 'decide', 'handed']
const DEATHS = CHAIN.flatMap(role => PLACES.map(place => `u_${role}-${place}`)).filter(
  user => user !== 'u_human-handed',
)

/** Agents of every role; one that dies has another to take its place. */
class Fleet {
  readonly #server: Serving
  readonly #marks = scratch()
  readonly programs: Program[] = []

  constructor(server: Serving) {
    this.#server = server
  }

  async add(agent: string, role: string, start: readonly string[] = []): Promise<Program> {
    const next = CHAIN[CHAIN.indexOf(role) + 1] ?? null
    const token = await this.#server.token(agent, role)
    const given = { url: this.#server.url, token, role, next, marks: this.#marks, start }
    const program = new Program(process.execPath, [HOLDER, JSON.stringify(given)])
    this.programs.push(program)
    await program.line(/^ready$/)
    return program
  }

  /** As many of each role as die of it, and one. */
  async assemble(deaths: readonly string[]): Promise<void> {
    for (const role of CHAIN) {
      const count = deaths.filter(user => user.startsWith(`u_${role}-`)).length
      await Promise.all(Array.from({ length: count + 1 }, (_, i) => this.add(`${role}-${i}`, role)))
    }
  }

  ends(users: readonly string[]): Promise<unknown[]> {
    return Promise.all(users.map(user => this.end(user)))
  }

  async end(user: string): Promise<unknown> {
    const found = () => this.programs.flatMap(({ lines }) => lines.filter(line => line.startsWith(`done ${user} `)))
    await expect.poll(found, { timeout: 100_000, interval: 100 }).toHaveLength(1)
    return JSON.parse(found()[0]?.slice(`done ${user} `.length) ?? '')
  }
}

const whole = (user: string) => ({
  verified: true,
  state: {
    intent: { words: `The words of ${user}` },
    constraints: ['triage', 'billing', 'tech'].map(role => ({ text: `rule of ${role}` })),
    history: ['triage', 'billing', 'tech'].flatMap(role =>
      ['look', 'decide'].map(step => ({ what: `${role} did ${step}`, why: `because of ${step}`, by: { role } })),
    ),
  },
})

test('[HAND-50] triage → billing → tech → human: the last has it all, whichever holder is killed at whichever step', async () => {
  const server = await Serving.serve(scratch())
  const fleet = new Fleet(server)
  await fleet.assemble(DEATHS)
  await fleet.add('starter', 'triage', ['u_nobody'])
  for (const user of DEATHS) await fleet.add(`starter-${user}`, 'triage', [user])
  const users = ['u_nobody', ...DEATHS]
  const ends = await fleet.ends(users)
  for (const [i, user] of users.entries()) expect(ends[i], user).toMatchObject(whole(user))
}, 300_000)

test('[HAND-51] killing the server at any step of the chain changes nothing but time', async () => {
  const data = scratch()
  let server = await Serving.serve(data)
  const fleet = new Fleet(server)
  await fleet.assemble([])
  const places = CHAIN.flatMap(role => PLACES.map(place => `${role}-${place}`)).filter(
    place => place !== 'human-handed',
  )
  await fleet.add('starter', 'triage', ['u_1'])
  for (const place of places) {
    const reached = () => fleet.programs.some(({ lines }) => lines.includes(`at u_1 ${place}`))
    await expect.poll(reached, { timeout: 60_000, interval: 10 }).toBe(true)
    server.program.signal('SIGKILL')
    await server.program.ended
    server = await Serving.serve(data, server.port)
  }
  expect(await fleet.end('u_1')).toMatchObject(whole('u_1'))
}, 300_000)

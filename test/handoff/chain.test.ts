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

const WAIT = { timeout: 60_000, interval: 50 }

/** Agents of every role; one that dies has another to take its place. */
class Fleet {
  readonly #server: Serving
  readonly #lease: number
  readonly #marks = scratch()
  readonly #programs = new Map<Program, string>()

  constructor(server: Serving, lease: number) {
    this.#server = server
    this.#lease = lease
  }

  /** As many of each role as die of it, and one. */
  async assemble(deaths: readonly string[]): Promise<void> {
    const names = CHAIN.flatMap(role => {
      const count = deaths.filter(user => user.startsWith(`u_${role}-`)).length
      return Array.from({ length: count + 1 }, (_, i) => ({ role, agent: `${role}-${i}` }))
    })
    await Promise.all(names.map(({ agent, role }) => this.#add(agent, role)))
  }

  async #add(agent: string, role: string): Promise<void> {
    const next = CHAIN[CHAIN.indexOf(role) + 1] ?? null
    const token = await this.#server.token(agent, role)
    const given = { url: this.#server.url, token, role, next, marks: this.#marks, lease: this.#lease }
    const program = new Program(process.execPath, [HOLDER, JSON.stringify(given)])
    this.#programs.set(program, role)
    program.ended.then(() => this.#programs.set(program, 'dead'))
    await program.line(/^ready$/)
  }

  start(user: string): void {
    const [triage] = [...this.#programs].find(([, role]) => role === 'triage') ?? []
    triage?.write(`${user}\n`)
  }

  async reached(user: string, place: string): Promise<void> {
    await expect.poll(() => this.#said(`at ${user} ${place}`).length > 0, WAIT).toBe(true)
  }

  /** What the last holder had when it completed the work, which it did once. */
  async end(user: string): Promise<unknown> {
    await expect.poll(() => this.#said(`done ${user} `), WAIT).toHaveLength(1)
    return JSON.parse(this.#said(`done ${user} `)[0]?.slice(`done ${user} `.length) ?? '')
  }

  #said(beginning: string): string[] {
    return [...this.#programs.keys()].flatMap(({ lines }) => lines.filter(line => line.startsWith(beginning)))
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
  const fleet = new Fleet(await Serving.serve(scratch()), 1_000)
  await fleet.assemble(DEATHS)
  for (const user of ['u_nobody', ...DEATHS]) {
    fleet.start(user)
    expect(await fleet.end(user), user).toMatchObject(whole(user))
  }
}, 300_000)

test('[HAND-51] killing the server at every step of the chain changes nothing but time', async () => {
  const data = scratch()
  let server = await Serving.serve(data)
  const fleet = new Fleet(server, 30_000)
  await fleet.assemble([])
  fleet.start('u_1')
  for (const place of DEATHS.map(death => death.slice('u_'.length))) {
    await fleet.reached('u_1', place)
    server.program.signal('SIGKILL')
    await server.program.ended
    server = await Serving.serve(data, server.port)
  }
  expect(await fleet.end('u_1')).toMatchObject(whole('u_1'))
}, 300_000)

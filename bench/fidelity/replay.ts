import type { Listed } from '../../client/fields.ts'
import { connect, type Desk, type Work } from '../../client/index.ts'
import type { Basis } from '../../model/definition.ts'
import type { Definition } from '../../model/infer.ts'
import { inLanes } from '../lanes.ts'
import type { BenchServer } from '../server.ts'
import { roleOf, serviceOf } from './desk.ts'
import { type Dialogue, type Handover, isKnownAt, type Naming, nameIn, type Observed, type Turn } from './dialogue.ts'

export const BUDGETS = [200, 500, 1_000] as const
const AT_ONCE = 16
const LEASE = 3_600_000
const TURN = 20_000

/** What a service had when it took over: the context it would prompt a model with, per budget, and every belief. */
export interface Taken {
  readonly dialogue: Dialogue
  readonly handover: Handover
  readonly contexts: readonly { readonly tokens: number; readonly text: string }[]
  readonly beliefs: ReadonlyMap<string, Held>
}

export interface Held {
  readonly value: unknown
  readonly confidence: number
}

/** Plays the dialogues on a server: each service an agent, each change of service a handoff that is accepted. */
export async function replay(server: BenchServer, dialogues: readonly Dialogue[], naming: Naming): Promise<Taken[]> {
  const services = [...new Set(dialogues.flatMap(({ services }) => services))]
  const desks = new Map<string, Desk>()
  for (const service of services)
    desks.set(service, await connect({ url: server.url, token: await server.token(service, roleOf(service)) }))
  const offers = offersTo(desks)
  const scenes = dialogues.flatMap(dialogue => dialogue.handoffs.map(handover => ({ dialogue, handover })))
  const taken: Taken[] = []
  await inLanes(scenes, AT_ONCE, async scene => {
    taken.push(await play(scene, naming, desks, offers))
  })
  await Promise.all([...desks.values()].map(desk => desk.close()))
  return taken
}

interface Scene {
  readonly dialogue: Dialogue
  readonly handover: Handover
}

type Desks = ReadonlyMap<string, Desk>
type Offers = (handoff: string) => Promise<Work>

/** Who is offered something takes it at once; whoever made the offer asks for the work that came of it. */
function offersTo(desks: Desks): Offers {
  const accepted = new Map<string, PromiseWithResolvers>()
  const slot = (id: string) => {
    const known = accepted.get(id) ?? withResolvers()
    accepted.set(id, known)
    return known
  }
  for (const desk of desks.values())
    desk.onOffer(offer => {
      const { resolve, reject } = slot(offer.id)
      offer.accept({ lease: LEASE }).then(resolve, reject)
    })
  return id => slot(id).promise
}

interface PromiseWithResolvers {
  readonly promise: Promise<Work>
  readonly resolve: (work: Work) => void
  readonly reject: (error: unknown) => void
}

function withResolvers(): PromiseWithResolvers {
  let resolvers: Omit<PromiseWithResolvers, 'promise'> | undefined
  const promise = new Promise<Work>((resolve, reject) => {
    resolvers = { resolve, reject }
  })
  return { promise, ...(resolvers as Omit<PromiseWithResolvers, 'promise'>) }
}

/** One dialogue as it goes on: whoever speaks for a service now, and what they say of the user. */
class Course {
  readonly #naming: Naming
  readonly #start: number
  #work: Work

  constructor(naming: Naming, work: Work, start: number) {
    this.#naming = naming
    this.#work = work
    this.#start = start
  }

  async hear(turn: Turn, heard: readonly Observed[]): Promise<void> {
    if (heard.length > 0) await this.#work.user.observe(heard.map(each => this.#observation(turn, each)))
  }

  async handOver({ to }: Handover, offers: Offers): Promise<void> {
    const { id } = await this.#work.handoff({ to: roleOf(to), reason: 'the user asks for it' })
    this.#work = await offers(id)
  }

  async look(task: string): Promise<Pick<Taken, 'contexts' | 'beliefs'>> {
    const { user } = this.#work
    const contexts = BUDGETS.map(async tokens => ({ tokens, text: await user.context({ tokens, task }) }))
    return { contexts: await Promise.all(contexts), beliefs: new Map(await user.model({ task })) }
  }

  async end(): Promise<void> {
    await this.#work.complete()
  }

  #observation({ t, speaker }: Turn, observed: Observed): Listed<Definition> {
    const { value, act, service_slot } = observed
    return {
      field: nameIn(this.#naming, observed),
      value,
      ...groundOf(speaker, act),
      at: this.#start + t * TURN,
      task: serviceOf(service_slot),
      interaction: speaker === 'user' ? 'talk' : `look-up-${t}`,
    }
  }
}

interface Ground {
  readonly basis: Basis
  readonly confidence: number
}

const TOLD: Ground = { basis: 'heard', confidence: 0.88 }
/** It was put to the user as a whole, and they agreed. */
const AGREED: Ground = { basis: 'heard', confidence: 0.97 }
const LOOKED_UP: Ground = { basis: 'seen', confidence: 0.95 }
const PUT_FORWARD: Ground = { basis: 'inferred', confidence: 0.6 }

const AGREEMENTS: ReadonlySet<Observed['act']> = new Set(['select', 'affirm', 'accept'])

function groundOf(speaker: Turn['speaker'], act: Observed['act']): Ground {
  if (speaker === 'user') return AGREEMENTS.has(act) ? AGREED : TOLD
  return act === 'inform' ? LOOKED_UP : PUT_FORWARD
}

/** What came before a handover, then the handover itself: it happens now, and what was said lies as far back as it did. */
async function play({ dialogue, handover }: Scene, naming: Naming, desks: Desks, offers: Offers): Promise<Taken> {
  const { turn } = handover
  const user = `${dialogue.id}:${turn}`
  const first = dialogue.turns[0]?.service ?? ''
  const work = await desks.get(first)?.user(user).start({ intent: 'as told', task: first, lease: LEASE })
  if (!work) throw new Error(`${dialogue.id}: no service to start with`)
  const course = new Course(naming, work, Date.now() - turn * TURN)
  for (const past of dialogue.turns.filter(({ t }) => t <= turn)) {
    const passed = dialogue.handoffs.find(each => each.turn === past.t)
    const before = past.observations.filter(each => !passed || isKnownAt(passed, past.t, each))
    await course.hear(past, before)
    if (passed === handover) break
    if (!passed) continue
    await course.handOver(passed, offers)
    await course.hear(
      past,
      past.observations.filter(each => !before.includes(each)),
    )
  }
  await course.handOver(handover, offers)
  const taken = await course.look(handover.to)
  await course.end()
  return { dialogue, handover, ...taken }
}

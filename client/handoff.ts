import { SelfsameError } from '../model/error.ts'
import type { Exchange } from '../model/handoff/exchange.ts'
import type { HandoffDetails, HandoffSeen, Verification } from '../model/wire/handoff.ts'
import { refusal } from './refusal.ts'
import { until } from './until.ts'
import type { Shared } from './user.ts'

const OPEN: ReadonlySet<HandoffSeen['state']> = new Set(['offered', 'accepted', 'passing'])

/** What is answered, and the fields it speaks of. */
export type Answer = string | { readonly text: string; readonly fields?: readonly string[] }

/** What can't be looked at now is looked at when the connection is up again. */
function unseen(error: unknown): undefined {
  if (!(error instanceof SelfsameError)) throw error
}

/** A handoff from outside, by its id. */
export class Handoff {
  readonly id: string
  readonly #shared: Shared

  constructor(id: string, shared: Shared) {
    this.id = id
    this.#shared = shared
  }

  async state(): Promise<HandoffSeen> {
    const seen = await this.inspect()
    return 'envelope' in seen ? seen.handoff : seen
  }

  /** With what it carries, where this agent may see that. */
  async inspect(): Promise<HandoffDetails | HandoffSeen> {
    const seen = await this.#shared.calls.call('inspect', { handoff: this.id })
    if ('receivers' in seen) throw refusal('handoff_unavailable', 'It is a handoff to many: use `desk.broadcast`.')
    return seen
  }

  /** Whether the chain up to it is as it was sealed: intent and constraints unchanged, nothing altered; else the first hop that is not. */
  verify(): Promise<Verification> {
    return this.#shared.calls.call('verify', { handoff: this.id })
  }

  /** Resolves when someone has accepted it, or it is clear that nobody will. */
  accepted(): Promise<HandoffSeen> {
    return this.#until(({ state }) => state !== 'offered')
  }

  /** Resolves when it has come to an end, or waits for a person. */
  settled(): Promise<HandoffSeen> {
    return this.#until(({ state }) => !OPEN.has(state))
  }

  /**
   * Answers what the next holder asks while you stay (`overlap`), until stopped. A question that came while the connection was
   * down is told when it is up. What the listener throws is its own affair: it goes where nobody catches it.
   */
  onQuestion(listener: (question: Exchange['question']) => Answer | Promise<Answer>): () => void {
    const told = new Set<string>()
    return this.onExchange(async ({ id, question, answer }) => {
      if (answer || question.by.agent === this.#shared.agent || told.has(id)) return
      told.add(id)
      await this.answer(id, await listener(question))
    })
  }

  /** Tells of questions and answers, from what there is on, until stopped. */
  onExchange(listener: (exchange: Exchange) => unknown): () => void {
    const { board } = this.#shared
    const stop = board.onExchange(this.id, listener)
    let isOver = false
    const look = async (): Promise<void> => {
      const seen = await this.inspect().catch(unseen)
      if (isOver) return
      if (seen && 'exchange' in seen) for (const each of seen.exchange) listener(each)
      await board.again()
      if (!isOver) await look()
    }
    look()
    return () => {
      isOver = true
      stop()
    }
  }

  answer(question: string, answer: Answer): Promise<HandoffSeen> {
    const said = typeof answer === 'string' ? { text: answer } : answer
    return this.#shared.errands.run('answer', { handoff: this.id, question, ...said })
  }

  /** The time to ask and answer is over. */
  release(): Promise<HandoffSeen> {
    return this.#shared.errands.run('release', { handoff: this.id })
  }

  /** Ends its authority at once. Who sent it goes on with the work if nobody has accepted it yet. */
  revoke(why: string): Promise<HandoffSeen> {
    return this.#shared.errands.run('revoke', { handoff: this.id, why })
  }

  /** People only: sends on its way again what is parked or failed. */
  replay(options: { readonly to?: string | { role: string; agent?: string }; readonly ttl?: number } = {}) {
    return this.#shared.errands.run('replay', { handoff: this.id, ...options })
  }

  #until(is: (seen: HandoffSeen) => boolean): Promise<HandoffSeen> {
    return until(this.#shared.board, [this.id], () => this.state(), is)
  }
}

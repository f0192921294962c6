import { SelfsameError } from '../model/error.ts'
import type { Connection } from './connection.ts'
import { type Answer, type Answers, bodyOf } from './frame.ts'
import { refusal } from './refusal.ts'

const MAX_PENDING = 10_000

interface Call {
  readonly op: string
  readonly body: string
  readonly resolve: (ok: unknown) => void
  readonly reject: (error: SelfsameError) => void
  readonly timer: ReturnType<typeof setTimeout>
}

/** Reads that wait for their answer. They change nothing, so those a lost connection left open are simply asked again. */
export class Calls {
  readonly #connection: Connection
  readonly #timeout: number
  readonly #pending = new Set<Call>()
  #over: SelfsameError | undefined

  constructor(connection: Connection, timeout: number) {
    this.#connection = connection
    this.#timeout = timeout
  }

  async call<Op extends keyof Answers>(op: Op, question: object): Promise<Answers[Op]> {
    if (this.#over) throw this.#over
    if (this.#pending.size >= MAX_PENDING)
      throw refusal('overloaded', `${MAX_PENDING} reads wait for an answer already. Wait for some of them.`)
    const body = bodyOf({ op, ...question })
    const ok = await new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => this.#expire(call), this.#timeout)
      const call: Call = { op, body, resolve, reject, timer }
      this.#pending.add(call)
      this.#ask(call)
    })
    return ok as Answers[Op]
  }

  up(): void {
    for (const call of this.#pending) this.#ask(call)
  }

  ended(error: SelfsameError): void {
    this.#over ??= error
    for (const call of this.#pending) this.#settle(call, () => call.reject(error))
  }

  #ask(call: Call): void {
    this.#connection.ask(call.body, answer => this.#answered(call, answer))
  }

  #answered(call: Call, answer: Answer): void {
    if ('ok' in answer) this.#settle(call, () => call.resolve(answer.ok))
    // One that stops is about to close the connection; the next one will be asked.
    else if (answer.error.code !== 'stopped') this.#settle(call, () => call.reject(new SelfsameError(answer.error)))
  }

  #expire(call: Call): void {
    const message = `No answer to ${call.op} within ${this.#timeout} ms. Last trouble: ${this.#connection.trouble}.`
    this.#settle(call, () => call.reject(refusal('timed_out', message)))
  }

  #settle(call: Call, settle: () => void): void {
    if (!this.#pending.delete(call)) return
    clearTimeout(call.timer)
    settle()
  }
}

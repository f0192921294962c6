import { createHmac } from 'node:crypto'

/** Something that happened. The id is the same however often it is sent, so a receiver can tell what it has seen. */
export interface WebhookEvent {
  readonly id: string
  readonly type: string
  readonly data: object
}

export interface WebhookOptions {
  /** From whoever runs the server, never from a request. */
  readonly url: URL
  readonly secret: Uint8Array
  /** What could not be delivered, and why. */
  readonly onLost: (event: WebhookEvent, why: string) => void
  readonly now?: () => number
  /** From 0 to 1, 1 excluded: spreads what is sent again over time. */
  readonly chance?: () => number
  readonly pace?: Partial<Pace>
}

/** All that bounds a webhook; times are in milliseconds. */
export interface Pace {
  /** Times that one event is sent at most. */
  readonly attempts: number
  /** The wait before the second time; it doubles from time to time until the longest. */
  readonly firstWait: number
  readonly longestWait: number
  readonly answerDeadline: number
  /** Events that are not delivered yet, and requests at the same moment. */
  readonly undelivered: number
  readonly atOnce: number
}

const PACE: Pace = {
  attempts: 8,
  firstWait: 1_000,
  longestWait: 60_000,
  answerDeadline: 10_000,
  undelivered: 1_000,
  atOnce: 8,
}

interface Sending {
  readonly event: WebhookEvent
  readonly attempt: number
}

/**
 * One address that is told of events by signed requests, in the manner of standardwebhooks.com: every language has
 * something that verifies them. An answer of 2xx settles an event. What may pass (no answer in time, 408, 425, 429, 5xx) is sent
 * again, later each time. Any other answer is final, redirections among them: they would lead to an address that nobody
 * has configured.
 */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #pace: Pace
  readonly #ready: Sending[] = []
  readonly #waiting = new Map<NodeJS.Timeout, Sending>()
  readonly #closing = new AbortController()
  readonly #active = new Set<Promise<void>>()

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#pace = { ...PACE, ...options.pace }
  }

  send(event: WebhookEvent): void {
    const { undelivered } = this.#pace
    if (this.#closing.signal.aborted) this.#lose(event, CLOSED)
    else if (this.#size >= undelivered) this.#lose(event, `${undelivered} events wait already`)
    else this.#ready.push({ event, attempt: 1 })
    this.#next()
  }

  /** Gives up what is not delivered yet. */
  async close(): Promise<void> {
    this.#closing.abort()
    const given = [...this.#ready.splice(0), ...this.#waiting.values()]
    for (const timer of this.#waiting.keys()) clearTimeout(timer)
    this.#waiting.clear()
    for (const { event } of given) this.#lose(event, CLOSED)
    await Promise.all(this.#active)
  }

  get #size(): number {
    return this.#ready.length + this.#waiting.size + this.#active.size
  }

  #next(): void {
    while (this.#active.size < this.#pace.atOnce) {
      const sending = this.#ready.shift()
      if (!sending) return
      const done = this.#attempt(sending).finally(() => {
        this.#active.delete(done)
        this.#next()
      })
      this.#active.add(done)
    }
  }

  async #attempt(sending: Sending): Promise<void> {
    const { event, attempt } = sending
    const answer = await this.#post(event)
    if (answer === 'settled') return
    if (this.#closing.signal.aborted) this.#lose(event, CLOSED)
    else if (!answer.mayPass) this.#lose(event, answer.why)
    else if (attempt >= this.#pace.attempts) this.#lose(event, `${answer.why}, ${attempt} times`)
    else this.#later({ event, attempt: attempt + 1 })
  }

  async #post(event: WebhookEvent): Promise<Answer> {
    const { url, secret, now = Date.now } = this.#options
    const time = now()
    const body = JSON.stringify({ type: event.type, timestamp: new Date(time).toISOString(), data: event.data })
    const seconds = String(Math.floor(time / 1000))
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': event.id,
          'webhook-timestamp': seconds,
          'webhook-signature': `v1,${signatureOf(secret, event.id, seconds, body)}`,
        },
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#pace.answerDeadline)]),
      })
      await response.body?.cancel()
      return answerOf(response.status)
    } catch (error) {
      return { mayPass: true, why: reasonOf(error) }
    }
  }

  #later(sending: Sending): void {
    const { firstWait, longestWait } = this.#pace
    const { chance = Math.random } = this.#options
    const bound = Math.min(longestWait, firstWait * 2 ** (sending.attempt - 2))
    const timer = setTimeout(
      () => {
        this.#waiting.delete(timer)
        this.#ready.push(sending)
        this.#next()
      },
      bound * (0.5 + chance() / 2),
    )
    this.#waiting.set(timer, sending)
  }

  #lose(event: WebhookEvent, why: string): void {
    this.#options.onLost(event, why)
  }
}

const CLOSED = 'the server is going down'

type Answer = 'settled' | { readonly mayPass: boolean; readonly why: string }

const MAY_PASS: readonly number[] = [408, 425, 429]

function answerOf(status: number): Answer {
  if (status >= 200 && status < 300) return 'settled'
  return { mayPass: status >= 500 || MAY_PASS.includes(status), why: `answered ${status}` }
}

/** The cause says more than "fetch failed", and neither holds anything of what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.name === 'TimeoutError' ? 'no answer in time' : `not reached: ${codeOf(error.cause) ?? error.message}`
}

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined

/** Over `id.timestamp.body`, so that neither can be exchanged and an old request can be told by its time. */
const signatureOf = (secret: Uint8Array, id: string, seconds: string, body: string): string =>
  createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')

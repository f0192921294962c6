import type { Logger } from 'pino'
import { type Code, type Refusal, SelfsameError } from '../../model/error.ts'
import { DENIALS, type Denial } from '../audit/denial.ts'
import type { Metrics } from '../metrics.ts'
import { StorageFailure } from '../store/storage.ts'
import type { Rate } from './rate.ts'
import type { Session } from './session.ts'

type OnDenial = (denial: Denial) => void

/** What all doors do alike with a request: count it, time it, bound its rate, and turn what went wrong into a refusal. */
export class Doorkeeper {
  readonly #rate: Rate
  readonly #metrics: Metrics
  readonly #log: Logger
  readonly #now: () => number
  readonly #onDenial: OnDenial

  constructor(rate: Rate, metrics: Metrics, log: Logger, now: () => number, onDenial: OnDenial) {
    this.#rate = rate
    this.#metrics = metrics
    this.#log = log
    this.#now = now
    this.#onDenial = onDenial
  }

  admit(session: Session): void {
    this.#rate.take(session.agent, this.#now())
  }

  /** Starts the clock of a request; call what it returns with the code of a refusal, or none. */
  begin(door: string, operation: string, session: Session | undefined, user?: unknown): (code?: Code) => void {
    const stop = this.#metrics.seconds.startTimer({ door, operation })
    return code => {
      stop()
      this.#metrics.requests.inc({ door, operation, role: session?.role.name ?? 'none', code: code ?? 'ok' })
      if (code && DENIALS.has(code))
        this.#onDenial({ session, what: operation, user: typeof user === 'string' ? user : undefined, code })
    }
  }

  refusalOf(error: unknown): Refusal {
    if (error instanceof SelfsameError) {
      const { code, message, details } = error
      return details.length > 0 ? { code, message, details } : { code, message }
    }
    if (error instanceof StorageFailure)
      return { code: 'stopped', message: 'The store has failed. Send again once it is back.' }
    this.#log.error({ err: error }, 'a request failed')
    return { code: 'internal', message: 'A fault of the server, which is in its log.' }
  }
}

import type { Belief } from '../model/belief.ts'
import { keyOf } from '../model/value.ts'
import { viewOf } from '../model/wire/columns.ts'
import type { ChangeFrame, ModelAnswer } from '../model/wire/frame.ts'
import { bodyOf } from './frame.ts'
import type { Told, Watched } from './watched.ts'

/** What changed, by field; `null`: nothing is believed of it any more. */
export interface RawChange {
  readonly user: string
  readonly version: string
  readonly asOf: number
  readonly beliefs: { readonly [field: string]: Belief | null }
}

export interface Listening {
  change(change: RawChange): void
  error(error: Error): void
}

/**
 * What one watch has been told, so that after a gap only what differs is told: all changes together, from the first on,
 * add up to the state. The first therefore is what is believed when the watch begins.
 */
export class Watch implements Watched {
  readonly user: string
  readonly body: string
  readonly #listening: Listening
  #told = new Map<string, Belief>()

  constructor(user: string, fields: readonly string[], task: string | undefined, listening: Listening) {
    this.user = user
    this.body = bodyOf({ op: 'watch', user, fields, task })
    this.#listening = listening
  }

  /** The state, at the begin and after every gap. */
  state(answer: unknown): void {
    const { user, version, asOf, columns } = answer as ModelAnswer
    const now = viewOf(columns)
    const beliefs: Record<string, Belief | null> = {}
    for (const [field, belief] of now) if (differs(this.#told.get(field), belief)) beliefs[field] = belief
    for (const field of this.#told.keys()) if (!now.has(field)) beliefs[field] = null
    this.#told = new Map(now)
    if (Object.keys(beliefs).length > 0) this.#listening.change({ user, version, asOf, beliefs })
  }

  changed(frame: Told): void {
    const { user, version, asOf, beliefs } = frame as ChangeFrame
    for (const [field, belief] of Object.entries(beliefs))
      if (belief) this.#told.set(field, belief)
      else this.#told.delete(field)
    this.#listening.change({ user, version, asOf, beliefs })
  }

  failed(error: Error): void {
    this.#listening.error(error)
  }
}

/** Confidence fades all the time and is left out: what words or the passing of a threshold change is what counts. */
const differs = (told: Belief | undefined, now: Belief): boolean => !told || gist(told) !== gist(now)

const gist = ({ value, status, contested, denied, alternatives, lastSeen, evidence, elements }: Belief): string =>
  keyOf([
    value,
    status,
    contested,
    [...denied],
    alternatives.map(other => other.value),
    lastSeen,
    evidence,
    (elements ?? []).map(element => [element.value, element.in, element.status, element.contested]),
  ])

import { createHash } from 'node:crypto'

/** Something that a connection follows: answered once with how it stands, then told as it changes. */
export interface Followed {
  /** How it stands, as JSON text. What changes from then on is told. */
  begin(): Promise<string>
  stop(): void
}

/** Milliseconds in which changes are gathered: many become one message. */
export const GATHER = 100

/** Does something a little after it was touched, once however often that was, and never twice at a time. */
export class Soon {
  readonly #act: () => void | Promise<void>
  readonly #fault: (error: unknown) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTouched = false
  #isActing = true
  #isStopped = false
  pause = GATHER

  constructor(act: () => void | Promise<void>, fault: (error: unknown) => void) {
    this.#act = act
    this.#fault = fault
  }

  /** What was touched before is done from here on. */
  begin(): void {
    this.#isActing = false
    if (this.#isTouched) this.touch()
  }

  touch(): void {
    this.#isTouched = true
    if (this.#isActing || this.#isStopped) return
    this.#timer ??= setTimeout(() => this.#run(), this.pause)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isTouched = false
    this.#isActing = true
    try {
      await this.#act()
    } catch (error) {
      this.#fault(error)
    }
    this.begin()
  }
}

/** What was told last is known again by this, and takes no more room however long it was. */
export const gistOf = (text: string): string => createHash('sha256').update(text).digest('base64')

import { Archive } from '../../../server/store/archive.ts'
import { Keyring } from '../../../server/store/keyring.ts'
import { MemoryStorage } from '../../../server/store/memory.ts'
import { MemoryDisk } from '../../../server/store/memory-cells.ts'

/** A disk that a test may stop for a while, or break; what it holds outlives the archives on it. */
export class Disk {
  readonly store = new MemoryDisk()
  readonly keys = new MemoryDisk()
  #gate: Promise<void> = Promise.resolve()
  #release: () => void = () => {}
  #fault: Error | undefined
  #reached: () => void = () => {}

  archive(): Archive {
    const storage = new MemoryStorage({ disk: this.store, sync: flush => this.#sync(flush) })
    return new Archive(storage, Keyring.inMemory(this.keys))
  }

  /** From now on syncs wait. Settles when the first one does. */
  hold(): Promise<void> {
    this.#gate = new Promise(resolve => {
      this.#release = resolve
    })
    return new Promise(resolve => {
      this.#reached = resolve
    })
  }

  /** Lets through what waits; what comes next waits again. Settles when the first of that does. */
  pass(): Promise<void> {
    const release = this.#release
    const next = this.hold()
    release()
    return next
  }

  release(): void {
    this.#release()
  }

  /** From now on, and for those that wait, syncs fail. */
  break(fault = new Error('EIO: the disk is gone')): void {
    this.#fault = fault
    this.#release()
  }

  mend(): void {
    this.#fault = undefined
  }

  async #sync(flush: () => void): Promise<void> {
    this.#reached()
    await this.#gate
    if (this.#fault) throw this.#fault
    flush()
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process of the bench that is told one thing at a time and answers each. */
export class Child {
  readonly #process: ChildProcess

  constructor(module: URL, node: string) {
    this.#process = fork(fileURLToPath(module), { execPath: node })
  }

  /** What it answers. Rejects when it ends instead. */
  ask(message: object): Promise<unknown> {
    const child = this.#process
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`a process of the bench ended with ${code}`))
      child.once('exit', ended)
      child.once('message', answer => {
        child.off('exit', ended)
        resolve(answer)
      })
      child.send(message)
    })
  }

  async stop(): Promise<void> {
    const child = this.#process
    if (child.exitCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.disconnect()
    await ended
  }
}

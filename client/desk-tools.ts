import type { ToolAnswers, ToolDesk } from '../model/toolset/desk.ts'
import type { SchemaSeen } from '../model/wire/schema-seen.ts'
import type { Board } from './board.ts'
import type { Errands } from './errands.ts'
import { newId } from './id.ts'

/** The tools' desk over the SDK: each call has its ids, so it is sent again until it is answered. */
export class DeskTools implements ToolDesk {
  readonly agent: string
  readonly schema: SchemaSeen
  readonly #errands: Errands
  readonly #board: Board

  constructor(agent: string, schema: SchemaSeen, errands: Errands, board: Board) {
    this.agent = agent
    this.schema = schema
    this.#errands = errands
    this.#board = board
  }

  newId(): string {
    return newId()
  }

  ask<Op extends keyof ToolAnswers>(op: Op, request: object): Promise<ToolAnswers[Op]> {
    // The socket's answers are these, and a context is asked for as markdown here.
    return this.#errands.run(op, request) as Promise<ToolAnswers[Op]>
  }

  /** Told whenever the state of a handoff changes that this agent has to do with. */
  onHandoff(id: string, listener: () => void): () => void {
    return this.#board.onState(id, listener)
  }
}

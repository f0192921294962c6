import { randomUUID } from 'node:crypto'
import { SelfsameError } from '../../model/error.ts'
import type { ToolAnswers, ToolDesk } from '../../model/toolset/desk.ts'
import type { SchemaSeen } from '../../model/wire/schema-seen.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'
import { context, explain, model } from '../operation/read.ts'
import {
  contextRequest,
  correctRequest,
  explainRequest,
  modelRequest,
  observeRequest,
  parse,
} from '../operation/request.ts'
import { correct, observe } from '../operation/write.ts'
import { isHandoffOp, performHandoff } from '../socket/handoff-frame.ts'

/** The tools' desk within the server: the operations of every door, under the session of one token. */
export class SessionDesk implements ToolDesk {
  readonly agent: string
  readonly schema: SchemaSeen
  readonly #desk: Desk
  readonly #session: Session
  readonly #keeper: Doorkeeper

  constructor(desk: Desk, session: Session, keeper: Doorkeeper) {
    this.agent = session.agent
    this.schema = desk.schemaFor(session.role)
    this.#desk = desk
    this.#session = session
    this.#keeper = keeper
  }

  newId(): string {
    return randomUUID()
  }

  /** Counted, timed and bounded like at every other door; a refusal is the same as well. */
  async ask<Op extends keyof ToolAnswers>(op: Op, request: object): Promise<ToolAnswers[Op]> {
    const done = this.#keeper.begin('mcp', op, this.#session)
    try {
      this.#keeper.admit(this.#session)
      const text = await this.#perform(op, present(request))
      done()
      return JSON.parse(text)
    } catch (error) {
      const refusal = this.#keeper.refusalOf(error)
      done(refusal.code)
      throw new SelfsameError(refusal)
    }
  }

  async #perform(op: keyof ToolAnswers, request: object): Promise<string> {
    const [desk, session] = [this.#desk, this.#session]
    if (isHandoffOp(op)) return performHandoff(desk, session, op, request)
    switch (op) {
      case 'observe':
        return JSON.stringify(await observe(desk, session, parse(observeRequest, request)))
      case 'correct':
        return JSON.stringify(await correct(desk, session, parse(correctRequest, request)))
      case 'context':
        return JSON.stringify(await context(desk, session, parse(contextRequest, request)))
      case 'explain':
        return JSON.stringify(await explain(desk, session, parse(explainRequest, request)))
      case 'model': {
        const { user, version, served } = await model(desk, session, parse(modelRequest, request))
        return `{"user":${JSON.stringify(user)},"version":"${version}","asOf":${served.asOf},"columns":${served.columns}}`
      }
    }
  }
}

/** What a tool leaves out is not there. */
const present = (request: object): object =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))

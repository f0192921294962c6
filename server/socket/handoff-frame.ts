import type { Session } from '../access/session.ts'
import { accept, type Delivered } from '../operation/accept.ts'
import type { Desk } from '../operation/desk.ts'
import { deskFrames } from '../operation/desk-frames.ts'
import { frames } from '../operation/frames.ts'
import { hand, handBack, start } from '../operation/handoff.ts'
import {
  acceptRequest,
  answerRequest,
  askRequest,
  checkpointRequest,
  completeRequest,
  declineRequest,
  deskFramesRequest,
  failRequest,
  framesRequest,
  handoffsRequest,
  handRequest,
  inspectRequest,
  mayRequest,
  readHanding,
  releaseRequest,
  renewRequest,
  replayAllRequest,
  replayRequest,
  reportRequest,
  returnRequest,
  startRequest,
  statsRequest,
  withdrawRequest,
} from '../operation/handoff-request.ts'
import { handoffs, inspect, works } from '../operation/handoffs.ts'
import { checkpoint, complete, decline, fail, may, renew, replay, report, withdraw } from '../operation/holding.ts'
import { answer, ask, release } from '../operation/overlap.ts'
import { replayAll } from '../operation/replay.ts'
import { parse, userRequest } from '../operation/request.ts'
import { stats } from '../operation/stats.ts'
import { verify } from '../operation/verify.ts'

/** Operations of handoffs at the socket, by name, and what each asks for. */
export const HANDOFF_REQUESTS = {
  start: startRequest,
  handoff: handRequest,
  accept: acceptRequest,
  decline: declineRequest,
  renew: renewRequest,
  report: reportRequest,
  checkpoint: checkpointRequest,
  complete: completeRequest,
  fail: failRequest,
  return: returnRequest,
  ask: askRequest,
  answer: answerRequest,
  release: releaseRequest,
  revoke: withdrawRequest,
  replay: replayRequest,
  replayAll: replayAllRequest,
  may: mayRequest,
  inspect: inspectRequest,
  handoffs: handoffsRequest,
  works: userRequest,
  frames: framesRequest,
  deskFrames: deskFramesRequest,
  stats: statsRequest,
  verify: inspectRequest,
} as const

export type HandoffOp = keyof typeof HANDOFF_REQUESTS

export const isHandoffOp = (op: string): op is HandoffOp => Object.hasOwn(HANDOFF_REQUESTS, op)

const R = HANDOFF_REQUESTS

/** The answer as JSON text. */
export async function performHandoff(desk: Desk, session: Session, op: HandoffOp, given: object): Promise<string> {
  switch (op) {
    case 'start':
      return deliveredText(await start(desk, session, parse(R[op], given)))
    case 'accept':
      return deliveredText(await accept(desk, session, parse(R[op], given)))
    case 'handoff':
      return JSON.stringify(await hand(desk, session, readHanding(given)))
    case 'return':
      return JSON.stringify(await handBack(desk, session, parse(R[op], given)))
    case 'decline':
      return JSON.stringify(await decline(desk, session, parse(R[op], given)))
    case 'renew':
      return JSON.stringify(await renew(desk, session, parse(R[op], given)))
    case 'report':
      return JSON.stringify(await report(desk, session, parse(R[op], given)))
    case 'checkpoint':
      return JSON.stringify(await checkpoint(desk, session, parse(R[op], given)))
    case 'complete':
      return JSON.stringify(await complete(desk, session, parse(R[op], given)))
    case 'fail':
      return JSON.stringify(await fail(desk, session, parse(R[op], given)))
    case 'ask':
      return JSON.stringify(await ask(desk, session, parse(R[op], given)))
    case 'answer':
      return JSON.stringify(await answer(desk, session, parse(R[op], given)))
    case 'release':
      return JSON.stringify(await release(desk, session, parse(R[op], given)))
    case 'revoke':
      return JSON.stringify(await withdraw(desk, session, parse(R[op], given)))
    case 'replay':
      return JSON.stringify(await replay(desk, session, parse(R[op], given)))
    case 'replayAll':
      return JSON.stringify(await replayAll(desk, session, parse(R[op], given)))
    case 'may':
      return JSON.stringify(await may(desk, session, parse(R[op], given)))
    case 'inspect':
      return JSON.stringify(await inspect(desk, session, parse(R[op], given).handoff))
    case 'handoffs':
      return JSON.stringify(await handoffs(desk, session, parse(R[op], given)))
    case 'works':
      return JSON.stringify(works(desk, session, parse(R[op], given).user))
    case 'verify':
      return JSON.stringify(await verify(desk, session, parse(R[op], given).handoff))
    case 'stats':
      return JSON.stringify(stats(desk, session, parse(R[op], given)))
    case 'frames':
      return JSON.stringify(await frames(desk, session, parse(R[op], given)))
    case 'deskFrames':
      return JSON.stringify(await deskFrames(desk, session, parse(R[op], given)))
  }
}

/** The view travels as columns, which are encoded once for all that are shown the same. */
const deliveredText = ({ delivery, served }: Delivered): string =>
  `${JSON.stringify(delivery).slice(0, -1)},"columns":${served.columns}}`

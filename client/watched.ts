import type { SelfsameError } from '../model/error.ts'
import type { ChangeFrame, EndedFrame, EvidenceFrame, ListFrame, ResyncFrame, WorkFrame } from '../model/wire/frame.ts'

/** What a watch is told between its begin and its end. */
export type Told = ChangeFrame | EvidenceFrame | ListFrame | WorkFrame

export type PushedFrame = Told | ResyncFrame | EndedFrame

/** Something the server is asked to tell the changes of. */
export interface Watched {
  /** The question by which it begins, again after every gap. */
  readonly body: string
  /** The state, at the begin and after every gap: what the question is answered with. */
  state(answer: unknown): void
  changed(frame: Told): void
  failed(error: SelfsameError): void
  /** Until the next state it hears nothing. */
  lost?(): void
  /** This side has closed the connection for good. */
  closed?(error: SelfsameError): void
}

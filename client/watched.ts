import type { ChangeFrame, EndedFrame, ListFrame, ResyncFrame, WorkFrame } from '../model/wire/frame.ts'

/** What a watch is told between its begin and its end. */
export type Told = ChangeFrame | ListFrame | WorkFrame

export type PushedFrame = Told | ResyncFrame | EndedFrame

/** Something the server is asked to tell the changes of. */
export interface Watched {
  /** The question by which it begins, again after every gap. */
  readonly body: string
  /** The state, at the begin and after every gap: what the question is answered with. */
  state(answer: unknown): void
  changed(frame: Told): void
  failed(error: Error): void
}

import type { Session } from '../access/session.ts'

/** Who has been let in by WebSocket, whatever it came for. */
export interface Guest {
  readonly session: Session
  readonly closed: Promise<void>
  /** False when it has not answered the last time. */
  ping(): boolean
  /** Looks whether it must be cut. */
  review(now: number): void
  close(code: number, reason: string): void
  terminate(): void
  /** Takes up nothing more; settles when all that was taken up is answered. */
  drain(): Promise<void>
}

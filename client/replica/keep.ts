/** A replica as it is kept between two runs of a program. */
export interface Kept {
  readonly agent: string
  readonly user: string
  /** Evidence and outbox; opaque to whoever keeps it. */
  readonly document: Uint8Array
}

/** Where a replica is kept so that it, and what it has to say, outlives the program. */
export interface Keep {
  load(): Promise<Kept | undefined>
  /** Resolves when it would survive a crash. */
  save(kept: Kept): Promise<void>
}

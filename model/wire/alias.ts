/** The other names of a user. */
export interface AliasesAnswer {
  readonly user: string
  readonly aliases: readonly AliasSeen[]
  /** The account that this user is itself another name of. */
  readonly account?: string
}

export interface AliasSeen {
  readonly alias: string
  /** Who joined it, and when. */
  readonly by: string
  readonly at: number
}

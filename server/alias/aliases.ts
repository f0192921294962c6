import type { Archive } from '../store/archive.ts'

/** Another name of a person, and who joined it when. */
export interface Alias {
  readonly alias: string
  readonly by: string
  readonly at: number
}

/** How often names of a person were joined or parted, and how many writes went with those that were parted. */
export interface Joins {
  readonly count: number
  readonly gone: number
}

export const JOINS = 'joins'
const ALIAS = 'alias:'
const NONE: Joins = { count: 0, gone: 0 }

/**
 * Which names are one person. A join is one paper of the account, filed so that the alias finds it: it is written whole or
 * not at all. What was said stays where it was said, under the key of the name it was said of.
 */
export class Aliases {
  readonly #archive: Archive

  constructor(archive: Archive) {
    this.#archive = archive
  }

  /** The paper of a join: named by a digest that the alias' own key makes, so that it tells nothing once that is destroyed. */
  paperOf(alias: string): string {
    return `${ALIAS}${this.#archive.mark(alias, 'alias').toString(36)}`
  }

  /** Names that are joined to an account. Also what has to be erased with it. */
  of(account: string): readonly Alias[] {
    return [...this.#archive.papers(account, ALIAS)].map(([, paper]) => paper as Alias)
  }

  /** The account that a name is joined to. */
  accountOf(alias: string): string | undefined {
    if (!this.#archive.knows(alias)) return undefined
    const paper = this.paperOf(alias)
    const account = this.#archive.whose(paper)
    return account !== undefined && this.#archive.paper(account, paper) !== undefined ? account : undefined
  }

  joinsOf(account: string): Joins {
    return (this.#archive.paper(account, JOINS) as Joins | undefined) ?? NONE
  }
}

import { randomUUID } from 'node:crypto'
import { Document, type DocumentChange, type Mark } from '../replica/document.ts'
import { type Circumstances, Layout } from '../replica/layout.ts'
import type { Joined } from './joined.ts'
import { inSlices } from './slice.ts'

/** A replica, told of every change of the document. */
export interface Follower {
  changed(change: DocumentChange): void
  /** The document is another one from now on, of which it has nothing. */
  renewed(): void
}

/**
 * A room's evidence as a document for replicas. It is made when the first replica asks for it and led through every
 * change; once the last has gone, the next write leaves it to be made anew.
 */
export class LedDocument {
  readonly #joined: Joined
  readonly #mark: Mark
  readonly #followers = new Set<Follower>()
  #document: Document | undefined
  #making: Promise<void> | undefined
  #keepers = 0

  #kept: unknown
  #circumstances: Circumstances

  constructor(joined: Joined, mark: Mark, kept: unknown, circumstances: Circumstances) {
    this.#joined = joined
    this.#mark = mark
    this.#kept = kept
    this.#circumstances = circumstances
  }

  get layout(): Layout {
    const { all: model, size } = this.#joined
    if (this.#document) return this.#document.layout
    return size > 0
      ? Layout.of(model, undefined, { ...this.#circumstances, joined: randomUUID() })
      : Layout.of(model, this.#kept, this.#circumstances)
  }

  /** From now on what is stored begins with a snapshot, and with what is kept of the layout there. */
  folded(kept: unknown, epoch: number, foldedTo: number): void {
    this.#kept = kept
    this.#circumstances = { epoch, foldedTo, damaged: [], imported: [] }
  }

  #make(): Document {
    return new Document(this.#joined.all, this.layout, this.#mark)
  }

  /** As it is, if it is made. */
  get made(): Document | undefined {
    return this.#document
  }

  /** Filled at once where nobody has made it in time. */
  get whole(): Document {
    if (this.#document) return this.#document
    const document = this.#make()
    for (const _ of document.fill());
    this.#document = document
    return document
  }

  /** Makes it, in slices as it may be long, and keeps it until what this returns is called. */
  async keep(): Promise<() => void> {
    this.#keepers++
    const letGo = () => {
      this.#keepers--
    }
    try {
      if (!this.#document) this.#making = this.#fill()
      await this.#making
      return letGo
    } catch (error) {
      letGo()
      throw error
    }
  }

  async #fill(): Promise<void> {
    const document = this.#make()
    this.#document = document
    try {
      await inSlices(document.fill(), () => undefined)
    } catch (error) {
      this.#document = undefined
      throw error
    }
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  lead(change: (document: Document) => DocumentChange): void {
    if (this.#keepers === 0 && this.#followers.size === 0) this.#document = undefined
    if (!this.#document) return
    const changed = change(this.#document)
    for (const follower of this.#followers) follower.changed(changed)
  }

  /** What it was made of is no more: who follows has to start afresh. */
  renew(): void {
    this.#document = undefined
    for (const follower of this.#followers) follower.renewed()
  }
}

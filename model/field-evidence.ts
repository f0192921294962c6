import { compare, type Pack, type Retraction, type Sum, type Word } from './evidence.ts'
import type { Field } from './field.ts'
import { compareRecalls, concerns, type Recall, recallOf } from './retraction.ts'
import { registersOf, type Term, termOfPart, termOfSum, termOfWord } from './term.ts'

/**
 * All evidence for one field of one user, in the order ≺. Reads walk it front to back; what the walk needs to know of the
 * whole (are there people's words, is any register spoken twice) is counted as evidence comes in.
 */
export class FieldEvidence {
  readonly name: string
  readonly field: Field
  readonly terms: Term[] = []
  readonly recalls: Recall[] = []
  people = 0
  echoes = 0
  /** The highest place in the order of arrival. */
  lastSeq = 0
  readonly #late: number
  readonly #ids = new Set<string>()
  readonly #registers = new Map<string, number>()
  #spoken = 0

  constructor(name: string, field: Field, late: number) {
    this.name = name
    this.field = field
    this.#late = late
  }

  /** `carrier` is the evidence as it was said, where it means something else under the schema of today. */
  add(evidence: Word | Pack | Sum, carrier = evidence): void {
    switch (evidence.type) {
      case 'word':
        this.#insert(termOfWord(this.field, this.#late, evidence, carrier))
        break
      case 'pack':
        for (const part of evidence.parts) this.#insert(termOfPart(this.field, evidence, part, carrier))
        break
      case 'sum':
        this.#insert(termOfSum(this.field, evidence, carrier), evidence.id)
    }
  }

  addRetraction(retraction: Retraction): void {
    const recall = recallOf(retraction)
    if (!concerns(recall, this.name, this.field)) return
    this.recalls.push(recall)
    this.recalls.sort(compareRecalls)
  }

  /** When each word or retraction arrived, in order. */
  arrivals(): number[] {
    const times = [...this.terms.map(arrival), ...this.recalls.map(({ retraction }) => retraction.received)]
    return [...new Set(times)].sort((a, b) => a - b)
  }

  /** Only what had arrived by a time. */
  upTo(time: number): FieldEvidence {
    const then = new FieldEvidence(this.name, this.field, this.#late)
    for (const term of this.terms) if (arrival(term) <= time) then.#insert(term)
    then.recalls.push(...this.recalls.filter(({ retraction }) => retraction.received <= time))
    return then
  }

  /** What was taken back in this field, in order. */
  get retractions(): readonly Retraction[] {
    return this.recalls.map(recall => recall.retraction)
  }

  /** Whether any register was spoken more than once, so that some words may be superseded. */
  get hasRepetition(): boolean {
    return this.#spoken > this.#registers.size
  }

  /** The number of a term's registers, which tells registers apart more cheaply than their names. */
  registers(term: Term): number[] {
    return registersOf(term).map(name => this.#registers.get(name) as number)
  }

  #insert(term: Term, id = term.id): void {
    if (this.#ids.has(id)) return
    this.#ids.add(id)
    this.terms.splice(this.#placeOf(term), 0, term)
    this.lastSeq = Math.max(this.lastSeq, term.seq)
    if (term.rank === 1) this.people++
    if (term.echo) this.echoes++
    for (const register of registersOf(term)) {
      this.#spoken++
      if (!this.#registers.has(register)) this.#registers.set(register, this.#registers.size)
    }
  }

  /** Words mostly come in order, so look at the end first. */
  #placeOf(term: Term): number {
    let low = 0
    let high = this.terms.length
    if (high === 0 || precedes(this.terms[high - 1] as Term, term)) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (precedes(this.terms[middle] as Term, term)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Of words that were folded only the time they speak of is left. */
const arrival = ({ evidence, at }: Term): number => ('received' in evidence ? evidence.received : at)

/** A sum comes after the word it was made of last, so that the copy of that word yields to it. */
const precedes = (a: Term, b: Term): boolean => {
  const order = compare(a, b)
  return order < 0 || (order === 0 && a.episodes.length < b.episodes.length)
}

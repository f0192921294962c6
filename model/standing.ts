import type { FieldEvidence } from './field-evidence.ts'
import { covers, type Recall } from './retraction.ts'
import { disagree, type Term } from './term.ts'

/**
 * What became of each word. None of it depends on the time of reading, only on what was said:
 *
 * - `superseded`: its own author said something later in the same register, or it is part of a sum.
 * - `retracted`: taken back.
 * - `echo`: its author restated what it had been served.
 * - `void`: a person's later word disagrees.
 * - `held`: it disagrees with a person's earlier word that is still within its hold: shown as contesting, not counted.
 * - `counted`: all others.
 */
export type Standing = 'counted' | 'held' | 'void' | 'echo' | 'superseded' | 'retracted'

/** The standing of every term, by position. `by` receives who is responsible where it is someone else's doing. */
export function standings(evidence: FieldEvidence, by: (Term | Recall | undefined)[] = []): Standing[] {
  const standing = new Array<Standing>(evidence.terms.length).fill('counted')
  if (evidence.hasRepetition) supersede(evidence, standing, by)
  if (evidence.recalls.length > 0) retract(evidence, standing, by)
  if (evidence.echoes > 0) setApartEchoes(evidence, standing)
  if (evidence.people > 0) settle(evidence, standing, by)
  return standing
}

/** A register read from its last word back: who said that, and whether a word that stays has been found. */
interface Register {
  readonly last: Term
  closed: boolean
}

/**
 * Of one register only the last word stays. An echo of what the register says already leaves that word standing:
 * repeating oneself after reading oneself is no reason to be believed less. A sum speaks in many registers, and closes
 * them all: echoes may have been heard in some, and copies of what it was made of may be there in any.
 */
function supersede(evidence: FieldEvidence, standing: Standing[], by: (Term | Recall | undefined)[]): void {
  const { terms } = evidence
  const registers = new Map<number, Register>()
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i] as Term
    const numbers = evidence.registers(term)
    const displacing = numbers
      .map(number => registers.get(number))
      .find(register => register && displaces(register, term))
    for (const number of numbers) speak(registers, number, term, displacing === undefined)
    if (!displacing) continue
    standing[i] = 'superseded'
    by[i] = displacing.last
  }
}

const displaces = (register: Register, term: Term): boolean =>
  register.closed || term.echo || !sameClaim(register.last, term)

function speak(registers: Map<number, Register>, number: number, term: Term, stays: boolean): void {
  const register = registers.get(number)
  if (register) register.closed ||= stays || !sameClaim(register.last, term)
  else if (stays) registers.set(number, { last: term, closed: !term.echo })
}

const sameClaim = (a: Term, b: Term): boolean => a.key === b.key && a.denies === b.denies

function retract(evidence: FieldEvidence, standing: Standing[], by: (Term | Recall | undefined)[]): void {
  for (const [i, term] of evidence.terms.entries()) {
    if (standing[i] !== 'counted') continue
    const recall = evidence.recalls.find(candidate => covers(candidate, evidence.name, term))
    if (!recall) continue
    standing[i] = 'retracted'
    by[i] = recall
  }
}

function setApartEchoes({ terms }: FieldEvidence, standing: Standing[]): void {
  for (const [i, term] of terms.entries()) if (term.echo && standing[i] === 'counted') standing[i] = 'echo'
}

/** What the people who still stand say of one thing: a claim, how far back it settles, and who said it last. */
interface Claim {
  readonly last: Term
  boundary: number
}

/**
 * A person's word sets aside what disagreed before it, and agents can't overrule it until it is one hold old. Among
 * people the last word stands: read from the last to the first, each stands unless one that stands disagrees.
 */
function settle(evidence: FieldEvidence, standing: Standing[], by: (Term | Recall | undefined)[]): void {
  const { terms, field } = evidence
  const settled = new Map<string, Claim[]>()
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i] as Term
    if (term.rank !== 1 || standing[i] !== 'counted') continue
    const claims = claimsOn(settled, term)
    const against = claims.find(claim => disagree(field, claim.last, term))
    if (against) {
      standing[i] = 'void'
      by[i] = against.last
    } else {
      note(claims, term)
    }
  }
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i] as Term
    if (term.rank !== 0 || standing[i] !== 'counted') continue
    for (const claim of settled.get(cellOf(term)) ?? []) {
      if (!disagree(field, claim.last, term)) continue
      const verdict = judge(field.hold, claim, term)
      if (verdict === 'counted' || standing[i] === 'void') continue
      standing[i] = verdict
      by[i] = claim.last
    }
  }
}

/** What is settled together: one element of one task. Tasks are ids and hold no line break; elements may. */
const cellOf = (term: Term): string => `${term.task}\n${term.element}`

function claimsOn(settled: Map<string, Claim[]>, term: Term): Claim[] {
  const cell = cellOf(term)
  const claims = settled.get(cell)
  if (claims) return claims
  const none: Claim[] = []
  settled.set(cell, none)
  return none
}

function note(claims: Claim[], term: Term): void {
  const same = claims.find(claim => sameClaim(claim.last, term))
  if (same) same.boundary = Math.max(same.boundary, term.boundary)
  else claims.push({ last: term, boundary: term.boundary })
}

function judge(hold: number, claim: Claim, term: Term): Standing {
  if (term.at <= claim.boundary) return 'void'
  return term.at < claim.last.at + hold ? 'held' : 'counted'
}

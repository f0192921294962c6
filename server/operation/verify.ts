import { createHash } from 'node:crypto'
import { type Broken, brokenIn, isKept, type Link } from '../../model/handoff/chain.ts'
import { isOpen } from '../../model/handoff/handoff.ts'
import type { Verification } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { asKept, asWork, type Kept, paperOf } from '../handoff/kept.ts'
import { StorageDamage } from '../store/damage.ts'
import type { Desk } from './desk.ts'
import { inspect } from './handoffs.ts'
import { unavailable } from './holding.ts'

/** More hops than any chain has. */
const LONGEST = 1_000

/** Whether everything along the chain up to a handoff is as it was sealed, and who may see the handoff may ask. */
export async function verify(desk: Desk, session: Session, id: string): Promise<Verification> {
  const seen = await inspect(desk, session, id)
  // Of a handoff to many each part is a chain of its own.
  if ('receivers' in seen) throw unavailable()
  const user = desk.keeper.whose(id)
  const chain = chainTo(desk, user, id)
  const mac = await desk.house.archive.mac(user)
  const broken = brokenIn(chain, { digest, mac }) ?? workBreak(desk, user, id, chain)
  return { handoff: id, hops: chain.map(({ handoff }) => handoff), broken: broken ?? null }
}

function chainTo(desk: Desk, user: string, id: string): Link[] {
  const chain: Link[] = []
  for (let next: string | null = id; next !== null && chain.length < LONGEST; ) {
    const found = findIn(desk, user, next)
    if (typeof found === 'string') {
      chain.unshift({ handoff: next, lost: found })
      break
    }
    chain.unshift({ handoff: next, envelope: found.envelope })
    next = found.handoff.previous
  }
  return chain
}

function findIn({ house }: Desk, user: string, id: string): Kept | 'missing' | 'unreadable' {
  try {
    return asKept(house.archive.paper(user, paperOf.handoff(id))) ?? 'missing'
  } catch (error) {
    if (error instanceof StorageDamage) return 'unreadable'
    throw error
  }
}

function workBreak(desk: Desk, user: string, id: string, chain: readonly Link[]): Broken | undefined {
  const kept = desk.keeper.of(user).kept.get(id)
  const work =
    kept && isOpen(kept.handoff) ? asWork(desk.house.archive.paper(user, paperOf.work(kept.handoff.work))) : undefined
  return work && kept && !isKept(work, kept.envelope) ? { handoff: id, hop: chain.length - 1, why: 'work' } : undefined
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

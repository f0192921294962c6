import { exchangeSeen } from '../../model/handoff/exchange.ts'
import type { Handoff } from '../../model/handoff/handoff.ts'
import type { Authority } from '../access/authority.ts'
import type { Counter } from './counter.ts'

/** What was asked or answered is told to both sides, to each what it may read. */
export function tellExchange(counter: Counter, authority: Authority, handoff: Handoff, was: Handoff | undefined): void {
  const { id, exchange = [], grant, state, overlap } = handoff
  if (exchange === was?.exchange || !('holder' in state)) return
  const said = exchange.filter(each => !was?.exchange?.includes(each))
  const holder = { ...state.holder, fields: grant.fields }
  for (const { agent, role, fields } of [holder, ...(overlap ? [{ ...overlap.with, fields: overlap.fields }] : [])])
    for (const listener of counter.of(agent)) {
      if (listener.session.role.name !== role) continue
      const scope = authority.granted(listener.session.role, { fields })
      for (const each of exchangeSeen(said, scope, agent))
        listener.push(JSON.stringify({ exchange: { ...each, handoff: id } }))
    }
}

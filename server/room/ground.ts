import type { SelfModel } from '../../model/self-model.ts'
import type { Under } from '../access/authority.ts'
import type { Session } from '../access/session.ts'
import type { Ground } from './commit.ts'
import { type Episodes, episodeIn } from './episode.ts'
import type { House } from './house.ts'
import { type ServedMemory, together } from './served.ts'

/** What is remembered under one name of a user. */
interface Memory {
  readonly served: ServedMemory
  readonly episodes: Episodes
}

/** What a commit of a user is formed against, with what is remembered under each of its names. */
export function groundOf(house: House, user: string, model: SelfModel, memories: readonly Memory[]): Ground {
  const { schema, limits, archive, authority, now } = house
  const all = memories.map(({ episodes }) => episodes)
  return {
    schema,
    limits,
    model,
    tally: (agent: string) => archive.tally(agent),
    scope: (session: Session, under: Under | undefined) => authority.scope(session, user, under),
    episodes: { at: (interaction, time) => episodeIn(all, interaction, time) },
    served: { of: (agent, field) => together(memories.map(({ served }) => served.of(agent, field))) },
    now: now(),
    erasedAt: archive.erasedAt(user),
  }
}

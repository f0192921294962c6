import { type Signal, signal } from '@preact/signals'
import type { Event } from '../../model/handoff/handoff.ts'
import type { Json } from '../../model/value.ts'
import { type Desk, type Frame, type HandoffDetails, type HandoffSeen, type OpenWork, SelfsameError } from '../index.ts'
import { Facts } from './facts.ts'

/** One user as the page shows them, kept up to date while it is open. */
export interface Person {
  readonly id: string
  readonly facts: Facts
  readonly work: Signal<OpenWork | null | undefined>
  /** The handoff by which the work is held or offered now. */
  readonly current: Signal<HandoffDetails | null>
  readonly frames: Signal<readonly Frame[] | undefined>
  readonly trouble: Signal<string | undefined>
  /** Looks again at what of the brief is no longer so. */
  refresh(): void
  close(): void
}

export function open(desk: Desk, id: string): Person {
  const user = desk.user(id)
  const person = {
    id,
    facts: new Facts(),
    work: signal<OpenWork | null | undefined>(undefined),
    current: signal<HandoffDetails | null>(null),
    frames: signal<readonly Frame[] | undefined>(undefined),
    trouble: signal<string | undefined>(undefined),
  }
  const fail = (error: unknown) => {
    if (error instanceof SelfsameError && (error.code === 'disconnected' || error.code === 'timed_out')) return
    person.trouble.value = error instanceof Error ? error.message : String(error)
  }
  const stop = user.watch(['**'], ({ beliefs }) => person.facts.tell(beliefs), { onError: fail })
  /** What the handoffs carry is looked at when one of them stands differently. */
  let seen = ''
  let latest: readonly OpenWork[] = []
  const look = async (works: readonly OpenWork[]) => {
    const stand = JSON.stringify(
      works.flatMap(({ handoffs }) =>
        handoffs.map(({ id, state, epoch, overlap }) => [id, state, epoch, overlap?.until]),
      ),
    )
    if (stand === seen) return
    seen = stand
    const [frames, current] = await Promise.all([user.frames({ limit: 50 }), detailsOf(desk, works.at(-1))])
    if (seen !== stand) return
    person.frames.value = frames
    const isAnother = briefIn(person.current.value) !== briefIn(current)
    if (person.current.value && isAnother) person.facts.begin()
    person.current.value = current
  }
  const stopWork = user.watchWork(
    works => {
      latest = works
      look(works)
        .catch(fail)
        .finally(() => {
          person.work.value = works.at(-1) ?? null
        })
    },
    { onError: fail },
  )
  // Of a user nobody has said anything of, a watch has nothing to tell.
  user.model().then(model => {
    if (person.facts.fields.value === undefined) person.facts.tell(Object.fromEntries(model.entries()))
  }, fail)
  return {
    ...person,
    refresh() {
      seen = ''
      look(latest).catch(fail)
    },
    close() {
      stop()
      stopWork()
    },
  }
}

/** The last handoff of some work: by which it is held, or offered to the next while another still holds it. */
async function detailsOf(desk: Desk, work: OpenWork | undefined): Promise<HandoffDetails | null> {
  const [handoff] = work?.handoffs.toSorted((a, b) => b.hop - a.hop || b.made - a.made) ?? []
  const seen = handoff && (await desk.handoff(handoff.id).inspect())
  return seen && isWhole(seen) ? seen : null
}

/** Which brief it is. */
const briefIn = (seen: HandoffDetails | null): string => `${seen?.handoff.id} ${seen?.handoff.epoch}`

const isWhole = (seen: HandoffDetails | HandoffSeen): seen is HandoffDetails => 'envelope' in seen

/** What a section of the envelope says, as far as it was received. */
export const sectionOf = ({ envelope }: HandoffDetails, name: string): Json | undefined =>
  envelope.sections.find(section => section.name === name)?.body

/** When the holder of now has taken it. */
export const heldSince = (events: readonly Event[]): number | undefined =>
  events.findLast(({ what }) => what === 'accepted' || what === 'started')?.at

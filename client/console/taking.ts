import { newId } from '../id.ts'
import { type Desk, type HandoffSeen, type Offer, SelfsameError, type Work } from '../index.ts'
import { ask, type Input, reason } from './ask.tsx'
import { list } from './desk-list.ts'
import { begin, takeOver } from './holding.ts'
import { tell } from './notice.tsx'
import { go } from './place.ts'

/** Whether this person may take work from others. */
export const mayTakeOver = (desk: Desk): boolean => desk.schema.role.authority === 'human'

/** Exactly one of many wins; who does not is told at once who has it. */
export async function take(desk: Desk, id: string, taking: () => Promise<Work>): Promise<void> {
  try {
    const work = await taking()
    go({ name: 'user', user: work.user.id, tab: 'brief' })
  } catch (error) {
    const lost = error instanceof SelfsameError && (error.code === 'handoff_taken' || error.code === 'bad_state')
    tell(lost ? await whoHas(desk, id) : String(error instanceof Error ? error.message : error), 'bad')
  }
}

async function whoHas(desk: Desk, id: string): Promise<string> {
  const seen = await desk
    .handoff(id)
    .state()
    .catch(() => undefined)
  return seen?.holder
    ? `${seen.holder.agent} (${seen.holder.role}) was first and has it now.`
    : 'Someone else was first.'
}

export const decline = (offer: Offer): void =>
  ask({
    title: 'Decline this offer',
    about: 'It goes to the next who can take it. People see the reason.',
    inputs: [reason()],
    action: 'Decline',
    run: ({ why = '' }) => offer.decline(why),
  })

/** What nobody holds is taken at once; from someone it is taken after a second thought. */
export function overtake(desk: Desk, seen: HandoffSeen): void {
  const handoff = standingOf(seen)
  const run = () => take(desk, handoff.id, () => takeOver(desk, handoff))
  const from = seen.holder
  if (!from) {
    run()
    return
  }
  ask({
    title: `Take over from ${from.agent}`,
    about: `${from.agent} is stopped at once. You go on from the last checkpoint with all that is known.`,
    inputs: [],
    action: 'Take over',
    run,
  })
}

/** What is being handed on is taken where it is offered. */
const standingOf = (seen: HandoffSeen): HandoffSeen =>
  (seen.state === 'passing' && list.value?.all.find(({ id }) => id === seen.next)) || seen

const lines = (text: string): string[] => text.split('\n').flatMap(line => line.trim() || [])
const rules: Input = {
  ...{ name: 'constraints', label: 'What must hold', kind: 'text', optional: true },
  hint: 'One on each line. They stay with the work, whoever holds it.',
}

export const startWork = (desk: Desk, user: string): void =>
  ask({
    title: 'Start work',
    about: 'You hold it then, until you hand it on or complete it.',
    inputs: [
      { name: 'words', label: 'In the user’s own words', kind: 'text' },
      { name: 'goal', label: 'What they want to have in the end', kind: 'line', optional: true },
      rules,
    ],
    action: 'Start',
    run: ({ words = '', goal = '', constraints = '' }) =>
      begin(desk, user, {
        intent: { words, ...(goal !== '' && { goal }) },
        constraints: lines(constraints),
        request: newId(),
      }),
  })

/** Milliseconds that a person can be asked after handing on. */
const STAYS = 600_000

export const handOn = (desk: Desk, work: Work): void =>
  ask({
    title: 'Hand on',
    about: 'You keep it until someone has accepted, and can be asked for ten minutes more.',
    inputs: [
      {
        ...{ name: 'to', label: 'To', kind: 'choice' },
        options: desk.schema.role.handsTo.map(role => ({ value: role, label: role })),
      },
      { name: 'why', label: 'Why', kind: 'text' },
      { name: 'next', label: 'What to do next', kind: 'text', optional: true },
      rules,
    ],
    action: 'Hand on',
    run: async ({ to = '', why = '', next = '', constraints = '' }) => {
      const said = { reason: why, ...(next !== '' && { next }), constraints: lines(constraints) }
      await work.handoff({ to, ...said, overlap: STAYS })
      tell(`Offered to ${to}.`)
    },
  })

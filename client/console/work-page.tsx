import type { ComponentChildren } from 'preact'
import type { Decision, Note, Piece, Thread, Validation } from '../../model/handoff/piece.ts'
import type { Work } from '../index.ts'
import { ask, type Input } from './ask.tsx'
import type { Person } from './person.ts'
import { isUp, now } from './session.ts'
import { written } from './unsent.ts'
import { ago, groupOf, labelOf, titleOf, urgencyOf } from './wording.ts'

interface Mine {
  readonly mine: Work | undefined
}

/** What is open, in the order to pick it up, and what was found out on the way. */
export function WorkPage({ person, mine }: Mine & { readonly person: Person }) {
  const work = person.work.value
  if (!work)
    return (
      <section class="card blank">
        <h2>No open work</h2>
        <p class="soft">What was done before is in the history.</p>
      </section>
    )
  const add = (
    title: string,
    inputs: readonly Input[],
    run: (work: Work, answers: Record<string, string>) => Promise<unknown>,
  ) => mine && (() => edit(mine, `Add: ${title}`, inputs, run))
  return (
    <div class="columns even">
      <Block title="Threads" add={add('thread', threadInputs(), (held, given) => held.thread(threadFrom(given)))}>
        {work.threads.map(thread => (
          <ThreadRow key={thread.id} thread={thread} mine={mine} />
        ))}
      </Block>
      <div class="stack">
        <Block
          title="To validate"
          add={add('validation', [what], (held, { what: text = '' }) => held.validation({ what: text }))}
        >
          {work.validations.map(each => (
            <ValidationRow key={each.id} validation={each} mine={mine} />
          ))}
        </Block>
        <Block
          title="Decisions"
          add={add('decision', [what, why], (held, given) =>
            held.decide({ what: given['what'] ?? '', why: given['why'] ?? '' }),
          )}
        >
          {work.history.map(each => (
            <DecisionRow key={each.id} decision={each} />
          ))}
        </Block>
        <Block title="Promised" add={add('promise', [text], (held, given) => held.agree(given['text'] ?? ''))}>
          {work.agreements.map(each => (
            <NoteRow key={each.id} note={each} />
          ))}
        </Block>
        <Block title="Environment" add={add('note', [text], (held, given) => held.note(given['text'] ?? ''))}>
          {work.environment.map(each => (
            <NoteRow key={each.id} note={each} />
          ))}
        </Block>
      </div>
    </div>
  )
}

const what: Input = { name: 'what', label: 'What', kind: 'line' }
const why: Input = { name: 'why', label: 'Why', kind: 'text' }
const text: Input = { name: 'text', label: 'What', kind: 'text' }
const STATUSES = ['open', 'waiting', 'blocked', 'done', 'dropped'] as const
const LEVELS = [
  { value: '0.9', label: 'High' },
  { value: '0.5', label: 'Medium' },
  { value: '0.2', label: 'Low' },
]

const levelOf = (share: number): string => ({ high: '0.9', medium: '0.5', low: '0.2' })[urgencyOf(share)]

const threadInputs = (thread?: Thread): Input[] => [
  { name: 'goal', label: 'Goal', kind: 'line', value: thread?.goal ?? '' },
  {
    ...{ name: 'status', label: 'Status', kind: 'choice', value: thread?.status ?? 'open' },
    options: STATUSES.map(value => ({ value, label: titleOf(value) })),
  },
  { name: 'approach', label: 'Approach', kind: 'text', value: thread?.approach ?? '', optional: true },
  {
    name: 'deadEnd',
    label: 'Tried and failed',
    kind: 'line',
    optional: true,
    hint: 'Is added to what was tried before.',
  },
  { name: 'urgency', label: 'Urgency', kind: 'choice', value: levelOf(thread?.urgency ?? 0.5), options: LEVELS },
]

const threadFrom = ({ goal = '', status, approach = '', deadEnd = '', urgency }: Readonly<Record<string, string>>) => ({
  goal,
  status: STATUSES.find(each => each === status) ?? ('open' as const),
  urgency: Number(urgency),
  ...(approach !== '' && { approach }),
  ...(deadEnd !== '' && { deadEnds: [deadEnd] }),
})

const edit = (
  mine: Work,
  title: string,
  inputs: readonly Input[],
  run: (work: Work, answers: Record<string, string>) => Promise<unknown>,
): void =>
  ask({
    title,
    inputs,
    action: 'Save',
    run: answers => written(run(mine, answers), isUp.value, 'Saved.'),
  })

interface BlockProps {
  readonly title: string
  readonly add: (() => void) | undefined
  readonly children: ComponentChildren[]
}

const Block = ({ title, add, children }: BlockProps) => (
  <section class="card block">
    <div class="heading">
      <h2>{title}</h2>
      {add && (
        <button type="button" class="quiet" onClick={add} aria-label={`Add to ${title.toLowerCase()}`}>
          Add
        </button>
      )}
    </div>
    {children.length === 0 ? <p class="empty">None.</p> : <ul>{children}</ul>}
  </section>
)

function ThreadRow({ thread, mine }: Mine & { readonly thread: Thread }) {
  const isOver = thread.status === 'done' || thread.status === 'dropped'
  const resolve = (work: Work) =>
    edit(work, `Done: ${thread.goal}`, [], held => held.thread({ id: thread.id, status: 'done' }))
  return (
    <li class={isOver ? 'piece gone' : 'piece'}>
      <p class="top">
        <strong class="grow">{thread.goal}</strong>
        {!isOver && <span class={`urgency ${urgencyOf(thread.urgency)}`}>{urgencyOf(thread.urgency)}</span>}
        <span class="tag">{thread.status}</span>
      </p>
      {thread.approach && <p>{thread.approach}</p>}
      <Lines title="Tried and failed" lines={thread.deadEnds} />
      <Lines title="Assumes" lines={thread.assumptions} />
      <Lines
        title="Rests on"
        lines={thread.links.map(
          link => `${titleOf(groupOf(link.field))}, ${labelOf(link.field).toLowerCase()}: ${link.why}`,
        )}
      />
      <By piece={thread} />
      {mine && !isOver && (
        <div class="actions">
          <button
            type="button"
            onClick={() =>
              edit(mine, 'Edit thread', threadInputs(thread), (held, given) =>
                held.thread({ id: thread.id, ...threadFrom(given) }),
              )
            }
          >
            Edit
          </button>
          <button type="button" onClick={() => resolve(mine)}>
            Done
          </button>
        </div>
      )}
    </li>
  )
}

const Lines = ({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <div class="lines">
      <span class="soft small">{title}</span>
      <ul>
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )

const By = ({ piece: { by, updated } }: { readonly piece: Piece }) => (
  <p class="soft small">
    {by.agent}, {ago(updated, now.value)}
  </p>
)

function ValidationRow({ validation, mine }: Mine & { readonly validation: Validation }) {
  const { id, status } = validation
  const settle = (work: Work, to: 'confirmed' | 'refuted') =>
    edit(work, `${titleOf(to)}: ${validation.what}`, [], held => held.validation({ id, status: to }))
  return (
    <li class="piece">
      <p class="top">
        <span class="grow">{validation.what}</span>
        <span class="tag">{status}</span>
      </p>
      <p class="soft small">
        {validation.by.agent}, {ago(validation.updated, now.value)}
      </p>
      {mine && status === 'pending' && (
        <div class="actions">
          <button type="button" onClick={() => settle(mine, 'confirmed')}>
            Confirmed
          </button>
          <button type="button" onClick={() => settle(mine, 'refuted')}>
            Refuted
          </button>
        </div>
      )}
    </li>
  )
}

const DecisionRow = ({ decision }: { readonly decision: Decision }) => (
  <li class="piece">
    <p>
      <strong>{decision.what}</strong>
    </p>
    <p>{decision.why}</p>
    <p class="soft small">
      {decision.by.agent}, {ago(decision.at, now.value)}
    </p>
  </li>
)

const NoteRow = ({ note }: { readonly note: Note }) => (
  <li class="piece">
    <p>{note.text}</p>
    <By piece={note} />
  </li>
)

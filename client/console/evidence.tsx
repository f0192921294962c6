import { useEffect, useState } from 'preact/hooks'
import type { Belief } from '../../model/belief.ts'
import type { Json } from '../../model/value.ts'
import type { Desk, ExplainAnswer, ExplainedWord, Work } from '../index.ts'
import { ask, reason } from './ask.tsx'
import { Chart } from './chart.tsx'
import { fieldSeen, inputFor, valueFrom } from './field-seen.ts'
import type { Person } from './person.ts'
import { isUp, now } from './session.ts'
import { written } from './unsent.ts'
import { ago, labelOf, moment, percent, shown } from './wording.ts'

interface Props {
  readonly desk: Desk
  readonly person: Person
  readonly mine: Work | undefined
  readonly field: string
  readonly belief: Belief
}

/** Why this is believed: each word, what became of it, how it moved; and what a person can say to it. */
export function Evidence({ desk, person, mine, field, belief }: Props) {
  const [answer, setAnswer] = useState<ExplainAnswer | string | undefined>(undefined)
  const task = person.work.value?.task ?? undefined
  useEffect(() => {
    let isCurrent = true
    const options = { course: true, ...(task !== undefined && { task }) }
    desk
      .user(person.id)
      .explain(field, options)
      .then(
        explained => isCurrent && setAnswer(explained),
        (error: Error) => isCurrent && setAnswer(error.message),
      )
    return () => {
      isCurrent = false
    }
  }, [desk, person, field, belief, task])
  const seen = fieldSeen(desk, field)
  return (
    <>
      {seen && <p class="soft small">{`${seen.description} Half-life: ${seen.halfLife}.`}</p>}
      {seen && seen.write !== 'none' && <Acts {...{ desk, person, mine, field, belief }} />}
      {answer === undefined && <p class="soft">Loading the evidence…</p>}
      {typeof answer === 'string' && <p class="notice bad">{answer}</p>}
      {typeof answer === 'object' && (
        <>
          {answer.course && answer.course.length > 1 && <Chart course={answer.course} now={answer.asOf} />}
          <ol class="words">
            {answer.words.toReversed().map(word => (
              <WordRow
                key={word.id}
                word={word}
                retract={() => retract(speaker({ desk, person, mine }), field, word)}
              />
            ))}
          </ol>
        </>
      )}
    </>
  )
}

const speaker = ({ desk, person, mine }: Pick<Props, 'desk' | 'person' | 'mine'>) => mine?.user ?? desk.user(person.id)

function Acts({ desk, person, mine, field, belief }: Props) {
  const seen = fieldSeen(desk, field)
  if (!seen) return null
  const user = speaker({ desk, person, mine })
  const task = person.work.value?.task ?? undefined
  const given = (why: string) => ({ ...(why !== '' && { why }), ...(seen.binding === 'task' && task && { task }) })
  const correct = () =>
    ask({
      title: `Correct: ${labelOf(field)}`,
      about: 'Your word sets aside what disagrees, at once and for everyone.',
      inputs: [inputFor(seen, belief.value), reason()],
      action: 'Correct',
      run: ({ value = '', why = '' }) => said(user.correct(field, valueFrom(seen, value), given(why)), 'Corrected.'),
    })
  const confirm = () =>
    ask({
      title: `Confirm: ${shown(belief.value)}`,
      inputs: [{ ...reason('How you know'), optional: true }],
      action: 'Confirm',
      run: ({ why = '' }) => said(user.correct(field, belief.value, given(why)), 'Confirmed.'),
    })
  const deny = () =>
    ask({
      title: `Deny: ${shown(belief.value)}`,
      about: 'It is not so, whatever else may be.',
      inputs: [reason()],
      action: 'Deny',
      tone: 'danger',
      run: ({ why = '' }) => said(user.deny(field, belief.value, given(why)), 'Denied.'),
    })
  return (
    <div class="actions">
      {belief.value !== null && (
        <button type="button" onClick={confirm}>
          Confirm
        </button>
      )}
      <button type="button" onClick={correct}>
        Correct
      </button>
      {belief.value !== null && (
        <button type="button" onClick={deny}>
          Deny
        </button>
      )}
    </div>
  )
}

const said = (writing: Promise<unknown>, text: string): Promise<void> => written(writing, isUp.value, text)

const retract = (user: ReturnType<typeof speaker>, field: string, word: ExplainedWord): void =>
  ask({
    title: `Take back what ${word.agent} said`,
    about: `Removes the words of ${word.agent} about ${labelOf(field)} in ${placeOf(word.interaction)} said until now. It can not be undone.`,
    inputs: [reason()],
    action: 'Take back',
    tone: 'danger',
    run: ({ why = '' }) => said(user.retract({ ...whole(word), field, why }), 'Taken back.'),
  })

/** An agent's own running interaction can't be named from outside: all it said of the field is meant then. */
const whole = ({ agent, interaction }: ExplainedWord) =>
  interaction.startsWith('@') ? { agent } : { agent, interaction }

const placeOf = (interaction: string): string => (interaction.startsWith('@') ? 'its own notes' : interaction)

function WordRow({ word, retract }: { readonly word: ExplainedWord; readonly retract: () => void }) {
  const { agent, role, value, not, standing, basis, at, why, share, interaction } = word
  const isGone = standing === 'retracted' || standing === 'superseded'
  return (
    <li class={isGone ? 'word gone' : 'word'}>
      <div class="grow">
        <p>
          <strong>{agent}</strong> {role && <span class="soft">{role}</span>} {not ? 'denied' : (basis ?? 'said')}{' '}
          <q>{shown(value as Json)}</q>
          {why && <span> because {why}</span>}
        </p>
        <p class="soft small" title={moment(at)}>
          {ago(at, now.value)} · {placeOf(interaction)} · {word.reason}
        </p>
      </div>
      <span class="number">{share > 0 ? percent(share) : standing}</span>
      {!isGone && (
        <button type="button" class="quiet" onClick={retract} aria-label={`Take back what ${agent} said`}>
          Take back
        </button>
      )}
    </li>
  )
}

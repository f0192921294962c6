import { useEffect, useState } from 'preact/hooks'
import type { Desk, Exchange, HandoffSeen, Work } from '../index.ts'
import { ask, reason } from './ask.tsx'
import { now } from './session.ts'
import { span } from './wording.ts'

interface Props {
  readonly desk: Desk
  readonly handoff: HandoffSeen
  readonly mine: Work | undefined
}

/** What was asked of whoever handed the work on, live; more can be asked while they are there, and answered by them. */
export function Overlap({ desk, handoff, mine }: Props) {
  const [exchange, setExchange] = useState<readonly Exchange[]>([])
  useEffect(() => {
    const told = new Map<string, Exchange>()
    return desk.handoff(handoff.id).onExchange(each => {
      told.set(each.id, each)
      setExchange([...told.values()])
    })
  }, [desk, handoff.id])
  const { overlap } = handoff
  if (!overlap && exchange.length === 0) return null
  const isAsked = overlap?.with.agent === desk.agent
  const there = overlap && `${overlap.with.agent} is there for ${span(Math.max(0, overlap.until - now.value))}`
  return (
    <section class="card" aria-label="Questions">
      <h2>Questions{there && <span class="soft"> · {isAsked ? 'you may be asked' : there}</span>}</h2>
      <ul class="events">
        {exchange.map(({ id, question, answer }) => (
          <li key={id}>
            <strong>{question.by.agent}</strong>: {question.text}
            {answer && (
              <p>
                <strong>{answer.by.agent}</strong>: {answer.text}
              </p>
            )}
            {!answer && isAsked && (
              <button type="button" onClick={() => reply(desk, handoff.id, id, question.text)}>
                Answer
              </button>
            )}
          </li>
        ))}
      </ul>
      {overlap && (mine || isAsked) && (
        <div class="actions">
          <button type="button" onClick={() => desk.handoff(handoff.id).release()}>
            {isAsked ? 'Leave' : `Let ${overlap.with.agent} go`}
          </button>
          {mine && (
            <button type="button" class="primary" onClick={() => question(mine, overlap.with.agent)}>
              Ask {overlap.with.agent}
            </button>
          )}
        </div>
      )}
    </section>
  )
}

/** The dialog closes when it is asked; the answer comes into the list. */
const question = (work: Work, agent: string): void =>
  ask({
    title: `Ask ${agent}`,
    inputs: [reason('Question', 'It is kept with the handoff.')],
    action: 'Ask',
    run: async ({ why = '' }) => work.question(why),
  })

const reply = (desk: Desk, handoff: string, id: string, asked: string): void =>
  ask({
    title: 'Answer',
    about: asked,
    inputs: [reason('Answer', 'It is kept with the handoff.')],
    action: 'Answer',
    run: async ({ why = '' }) => desk.handoff(handoff).answer(id, why),
  })

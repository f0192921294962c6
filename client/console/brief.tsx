import type { ComponentChildren } from 'preact'
import type { Grant } from '../../model/handoff/grant.ts'
import type { Rule } from '../../model/handoff/work.ts'
import type { Desk, HandoffDetails } from '../index.ts'
import { type Person, sectionOf } from './person.ts'
import { now } from './session.ts'
import { ago, countdown, titleOf } from './wording.ts'

/** The ten seconds: what they want, why this is here, what was promised, what may be done. */
export function Brief({ desk, person }: { readonly desk: Desk; readonly person: Person }) {
  const work = person.work.value
  const current = person.current.value
  if (!work)
    return (
      <section class="card blank" aria-label="Brief">
        <h2>No open work</h2>
        <p class="soft">Nobody is working on anything for this person. What is known of them is here all the same.</p>
      </section>
    )
  const reason = current && textOf(current, 'reason')
  const next = current && textOf(current, 'next')
  const words = current && textOf(current, 'words')
  return (
    <section class="brief card" aria-label="Brief">
      <blockquote>
        <p>“{work.intent.words}”</p>
      </blockquote>
      {work.intent.goal && (
        <Part title="Wants">
          <p>{work.intent.goal}</p>
        </Part>
      )}
      {reason && (
        <Part title="Why it is here">
          <p>
            {reason} {current.handoff.from && <span class="soft">{current.handoff.from.agent}</span>}
          </p>
          {words && <p class="soft">{words}</p>}
        </Part>
      )}
      {next && (
        <Part title="Next" accent>
          <p>{next}</p>
        </Part>
      )}
      <Part title="Promised">
        {work.agreements.length === 0 ? (
          <p class="soft">Nothing was promised.</p>
        ) : (
          <ul>
            {work.agreements.map(({ id, text, by, at }) => (
              <li key={id}>
                {text}{' '}
                <span class="soft small">
                  {by.agent}, {ago(at, now.value)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Rules title="Must hold" rules={work.constraints} />
      <Rules title="Not part of it" rules={work.exclusions} />
      {current && <May desk={desk} current={current} />}
    </section>
  )
}

interface PartProps {
  readonly title: string
  readonly accent?: boolean
  readonly children: ComponentChildren
}

const Part = ({ title, accent, children }: PartProps) => (
  <div class={accent ? 'part accent' : 'part'}>
    <h2>{title}</h2>
    {children}
  </div>
)

const Rules = ({ title, rules }: { readonly title: string; readonly rules: readonly Rule[] }) =>
  rules.length === 0 ? null : (
    <Part title={title}>
      <ul>
        {rules.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Part>
  )

const textOf = (details: HandoffDetails, name: string): string | null => {
  const body = sectionOf(details, name)
  return typeof body === 'string' && body !== '' ? body : null
}

/** What the one who looks may do here, and how long. */
function May({ desk, current }: { readonly desk: Desk; readonly current: HandoffDetails }) {
  const { handoff } = current
  if (handoff.holder?.agent !== desk.agent)
    return (
      <Part title="You may">
        <p class="soft">Look on and correct. Acting is for who holds it.</p>
      </Part>
    )
  const left = handoff.expires - now.value
  const granted = actionsOf(current)
  const actions = desk.schema.role.actions.filter(action => granted === null || Object.hasOwn(granted, action))
  return (
    <Part title="You may">
      {left <= 0 ? (
        <p class="notice bad">The grant has ended. Take the work over again to go on.</p>
      ) : (
        <p>
          {actions.length === 0 ? 'Read and write, no actions' : actions.map(titleOf).join(', ')}{' '}
          <span class={left < 300_000 ? 'timer short' : 'timer'}>{countdown(left)} left</span>
        </p>
      )}
      {granted && <Bounds actions={granted} />}
    </Part>
  )
}

const Bounds = ({ actions }: { readonly actions: NonNullable<Grant['actions']> }) => {
  const lines = Object.entries(actions).flatMap(([action, bounds]) =>
    Object.entries(bounds).map(([name, { min, max, oneOf }]) => {
      const limits = [min !== undefined && `from ${min}`, max !== undefined && `up to ${max}`, oneOf?.join(' or ')]
      return `${titleOf(action)}: ${name} ${limits.filter(Boolean).join(' ')}`
    }),
  )
  return lines.length === 0 ? null : <p class="soft small">{lines.join(' · ')}</p>
}

/** The envelope's seal vouches for the shape of its grant. */
function actionsOf(current: HandoffDetails): Grant['actions'] {
  const grant = sectionOf(current, 'grant') as unknown as Grant | undefined
  return grant?.actions ?? null
}

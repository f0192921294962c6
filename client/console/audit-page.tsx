import { useEffect, useMemo } from 'preact/hooks'
import type { AuditEntry, AuditKind } from '../../model/wire/audit.ts'
import type { Desk } from '../index.ts'
import { AuditTrail } from './audit-trail.ts'
import type { Person } from './person.ts'
import { isUp } from './session.ts'
import { day, fullLabel, hour, moment, spaced, titleOf } from './wording.ts'
import './style/audit.css'

/** What can be told of a person, as a filter calls it. */
const KINDS: readonly (readonly [AuditKind, string])[] = [
  ['read', 'Reads'],
  ['write', 'Writes'],
  ['denial', 'Refusals'],
  ['grant', 'Authority given'],
  ['handoff', 'Handoffs'],
  ['export', 'Exports'],
  ['import', 'Imports'],
  ['alias', 'Names joined'],
  ['link', 'Links to sign in'],
  ['ticket', 'Connections of browsers'],
  ['audit', 'Looks at this page'],
]

interface Props {
  readonly desk: Desk
  readonly person: Person
}

/** Who saw what of this person, by day, the latest first. */
export function AuditPage({ desk, person }: Props) {
  const trail = useMemo(() => new AuditTrail(desk, person.id), [desk, person.id])
  const up = isUp.value
  useEffect(() => {
    if (up && trail.state.peek().name !== 'known') void trail.load(trail.asked.peek())
  }, [trail, up])
  const state = trail.state.value
  if (state.name === 'unknown' && state.isForGood)
    return (
      <section class="card blank">
        <h2>Not for you to see</h2>
        <p class="soft">{state.why}</p>
      </section>
    )
  return (
    <section class="audit" aria-label="Audit">
      <Filters trail={trail} isOwn={person.id === desk.agent} />
      <div aria-live="polite" aria-busy={state.name === 'loading'}>
        {state.name === 'loading' && <p class="card soft">{up ? 'Loading…' : WAITING}</p>}
        {state.name === 'unknown' && <Unknown trail={trail} why={up ? state.why : WAITING} />}
        {state.name === 'known' && <Known trail={trail} entries={state.entries} next={state.next} />}
      </div>
    </section>
  )
}

const WAITING = 'Offline. It is loaded when the connection is back.'

function Filters({ trail, isOwn }: { readonly trail: AuditTrail; readonly isOwn: boolean }) {
  const asked = trail.asked.value
  return (
    <div class="heading">
      <h2 class="grow">{isOwn ? 'Who saw and did what of you' : 'Who saw and did what of this person'}</h2>
      <div class="filters">
        <Choice
          label="What"
          all="Everything"
          value={asked.kind}
          options={KINDS}
          onChoose={kind => trail.load({ ...asked, kind })}
        />
        <Choice
          label="Who"
          all="Everyone"
          value={asked.agent}
          options={trail.agents.value.map(agent => [agent, agent])}
          onChoose={agent => trail.load({ ...asked, agent })}
        />
      </div>
    </div>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly all: string
  readonly value: T | undefined
  readonly options: readonly (readonly [T, string])[]
  readonly onChoose: (value: T | undefined) => void
}

const Choice = <T extends string>({ label, all, value, options, onChoose }: ChoiceProps<T>) => (
  <label>
    <span class="soft small">{label}</span>
    <select
      value={value ?? ''}
      onChange={({ currentTarget }) => onChoose(options.find(([each]) => each === currentTarget.value)?.[0])}
    >
      <option value="">{all}</option>
      {options.map(([each, title]) => (
        <option key={each} value={each}>
          {title}
        </option>
      ))}
    </select>
  </label>
)

const Unknown = ({ trail, why }: { readonly trail: AuditTrail; readonly why: string }) => (
  <div class="card blank">
    <p>{why}</p>
    <button type="button" onClick={() => trail.load(trail.asked.value)}>
      Try again
    </button>
  </div>
)

interface KnownProps {
  readonly trail: AuditTrail
  readonly entries: readonly AuditEntry[]
  readonly next: string | undefined
}

function Known({ trail, entries, next }: KnownProps) {
  const { kind, agent } = trail.asked.value
  return (
    <>
      {entries.length === 0 && (
        <div class="card blank">
          <h2>{next === undefined ? 'Nothing' : 'Nothing lately'}</h2>
          <p class="soft">
            {kind || agent
              ? 'Nobody of those you chose did that, as far as was looked.'
              : 'Nobody has seen or done anything of this person.'}
          </p>
        </div>
      )}
      {[...Map.groupBy(entries, ({ at }) => day(at))].map(([title, all]) => (
        <section key={title} class="list">
          <h2>{title}</h2>
          <ul>
            {all.map(entry => (
              <Row key={entry.id} entry={entry} />
            ))}
          </ul>
        </section>
      ))}
      {next !== undefined && (
        <button type="button" class="more" disabled={trail.isLoadingMore.value} onClick={() => trail.more()}>
          {trail.isLoadingMore.value ? 'Loading…' : 'More'}
        </button>
      )}
    </>
  )
}

const Row = ({ entry }: { readonly entry: AuditEntry }) => (
  <li class="row entry">
    <time dateTime={new Date(entry.at).toISOString()}>{hour(entry.at)}</time>
    <p class="by">
      <strong>{entry.agent ?? 'The server'}</strong> {entry.role && <span class="soft">{entry.role}</span>}
    </p>
    <div class="grow">
      <p>
        <span class={`tag ${entry.kind === 'denial' ? 'warn' : ''}`}>{WORDS[entry.kind] ?? titleOf(entry.kind)}</span>{' '}
        {detailOf(entry)}
      </p>
      {entry.fields && entry.fields.length > 0 && <Fields fields={entry.fields} />}
      {entry.handoff && (
        <p class="soft small">
          Under handoff <code>{entry.handoff}</code>
        </p>
      )}
    </div>
  </li>
)

const WORDS: Partial<Record<AuditKind, string>> = {
  read: 'saw',
  write: 'wrote',
  denial: 'was refused',
  grant: 'was given authority',
  handoff: 'handoff',
  export: 'exported',
  import: 'imported',
  alias: 'names',
  link: 'sign-in link',
  ticket: 'connected',
  audit: 'looked at the audit',
}

/** What of the person it was. */
const SEEN: Readonly<Record<string, string>> = {
  model: 'what is believed',
  context: 'what a prompt is told',
  explain: 'why it is believed',
  watch: 'what changed, as it did',
  replica: 'a live copy',
  accept: 'what the work came with',
  work: 'the open work',
  frames: 'past handoffs',
}

/** `model as billing` */
const AS = /^model as /
const SELF_EVIDENT: readonly AuditKind[] = ['audit', 'ticket']

function detailOf({ kind, what, code, expires, count = 1 }: AuditEntry): string {
  const times = count > 1 ? ` × ${count}` : ''
  const said = [
    what !== undefined &&
      !SELF_EVIDENT.includes(kind) &&
      `${SEEN[what] ?? spaced(what.replace(AS, 'what is believed, as '))}${times}`,
    code !== undefined && spaced(code),
    expires !== undefined && `until ${moment(expires)}`,
  ]
  return said.filter(part => part !== false).join(', ')
}

const FEW = 4

/** All by name; of many the first ones, and the rest on asking. */
function Fields({ fields }: { readonly fields: readonly string[] }) {
  const names = fields.map(fullLabel)
  if (names.length <= FEW) return <p class="small">{names.join(' · ')}</p>
  return (
    <details class="small">
      <summary>
        {names.slice(0, FEW - 1).join(' · ')} <span class="soft">and {names.length - FEW + 1} more</span>
      </summary>
      {names.slice(FEW - 1).join(' · ')}
    </details>
  )
}

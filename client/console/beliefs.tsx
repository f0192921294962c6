import { type Signal, signal, useComputed } from '@preact/signals'
import type { Belief } from '../../model/belief.ts'
import type { Json } from '../../model/value.ts'
import type { Desk, Work } from '../index.ts'
import { Evidence } from './evidence.tsx'
import type { Fact } from './facts.ts'
import { fieldSeen } from './field-seen.ts'
import type { Person } from './person.ts'
import { now } from './session.ts'
import { ago, fullLabel, groupOf, labelOf, percent, shown, titleOf } from './wording.ts'

/** By user and field: what is shown of one person must not be shown of the next. */
const opened = signal<string | undefined>(undefined)
const uncovered = signal<ReadonlySet<string>>(new Set())

interface Props {
  readonly desk: Desk
  readonly person: Person
  readonly mine: Work | undefined
}

/** What is believed: what the schema pins first, the rest by group. Drawn anew when there are other fields, not other values. */
export function Beliefs({ desk, person, mine }: Props) {
  const all = [...(person.facts.fields.value ?? [])]
  if (all.length === 0)
    return (
      <section class="card blank" aria-label="Model">
        <h2>Nothing is known yet</h2>
        <p class="soft">What agents learn of this person appears here as they learn it.</p>
      </section>
    )
  const order = new Map(Object.keys(desk.schema.fields).map((field, i) => [field, i]))
  const rankOf = (field: string) => order.get(field) ?? -1
  all.sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
  const isPinned = (field: string) => fieldSeen(desk, field)?.pinned === true
  const [pinned = [], rest = []] = [true, false].map(is => all.filter(field => isPinned(field) === is))
  const groups = [...Map.groupBy(rest, groupOf)].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = (fields: readonly string[], labelled: (field: string) => string) =>
    fields.map(field => {
      const fact = person.facts.of(field)
      return fact && <Row key={field} {...{ desk, person, mine, field, fact }} label={labelled(field)} />
    })
  return (
    <section class="beliefs card" aria-label="Model">
      {pinned.length > 0 && <Group title="Key facts">{rows(pinned, fullLabel)}</Group>}
      {groups.map(([group, fields]) => (
        <Group key={group} title={titleOf(group)}>
          {rows(fields, labelOf)}
        </Group>
      ))}
    </section>
  )
}

const Group = ({ title, children }: { readonly title: string; readonly children: preact.ComponentChildren }) => (
  <div class="group">
    <h2>{title}</h2>
    <ul>{children}</ul>
  </div>
)

interface RowProps extends Props {
  readonly field: string
  readonly fact: Signal<Fact>
  readonly label: string
}

function Row({ desk, person, mine, field, fact, label }: RowProps) {
  const own = `${person.id} ${field}`
  const isOpen = useComputed(() => opened.value === own).value
  const isCovered = useComputed(() => !uncovered.value.has(own)).value
  const isHidden = isCovered && fieldSeen(desk, field)?.sensitivity === 'secret'
  const seenAgo = useComputed(() => ago(fact.value.belief.lastSeen, now.value))
  const isChanged = useComputed(() => isOther(fact.value, briefedOf(person, field))).value
  const { belief } = fact.value
  const panel = `of-${field.replaceAll('.', '-')}`
  return (
    <li class={`belief ${belief.status}${isOpen ? ' open' : ''}`}>
      <button
        type="button"
        class="line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={() => {
          opened.value = isOpen ? undefined : own
          if (isHidden) uncovered.value = new Set(uncovered.value).add(own)
        }}
      >
        <span class="label">{label}</span>
        <span class="value">
          {isHidden ? '••••' : <Value belief={belief} />}
          {belief.contested && <span class="tag warn">contested</span>}
          {isChanged && <span class="tag new">changed</span>}
        </span>
        <span class="sure">
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${belief.confidence * 100}%` }} />
          </span>
          <span class="number">{percent(belief.confidence)}</span>
        </span>
        <span class="seen">
          <span class={`dot ${belief.status}`} aria-hidden="true" />
          <span class="hidden">{belief.status}, </span>
          <span>{seenAgo}</span>
        </span>
      </button>
      {isOpen && (
        <div id={panel} class="panel">
          <Evidence desk={desk} person={person} mine={mine} field={field} belief={belief} />
        </div>
      )}
    </li>
  )
}

/** What the holder was shown in the brief, where that is no longer so; else what was there when the page was opened. */
const briefedOf = ({ current }: Person, field: string): Json | undefined =>
  current.value?.stale.find(mark => mark.field === field)?.before

const isOther = ({ belief, first }: Fact, briefed = first): boolean =>
  JSON.stringify(briefed) !== JSON.stringify(belief.value)

/** Contested values stand side by side. */
function Value({ belief }: { readonly belief: Belief }) {
  const rivals = belief.contested ? belief.alternatives.slice(0, 2) : []
  return (
    <>
      {shown(belief.value)}
      {belief.value === null && belief.denied.length > 0 && (
        <span class="soft"> not {belief.denied.map(shown).join(', ')}</span>
      )}
      {rivals.map(rival => (
        <span key={shown(rival.value)} class="rival">
          {' '}
          or {shown(rival.value)} {rival.confidence > 0 ? percent(rival.confidence) : 'held back'}
        </span>
      ))}
    </>
  )
}

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Belief } from '../../model/belief.ts'
import type { Desk } from '../index.ts'
import { fieldSeen } from './field-seen.ts'
import type { Person } from './person.ts'
import { isUp } from './session.ts'
import { fullLabel, percent, shown } from './wording.ts'
import './style/view-as.css'

interface Props {
  readonly desk: Desk
  readonly person: Person
  /** What is shown as oneself. */
  readonly children: ComponentChildren
}

/** For who answers for a policy: what any role would see of this person, and what is hidden from it. */
export function ViewAs({ desk, person, children }: Props) {
  const role = useSignal('')
  const roles = desk.schema.role.viewsAs?.filter(each => each !== desk.role) ?? []
  if (roles.length === 0) return <>{children}</>
  return (
    <>
      <div class={`view-as ${role.value && 'other'}`}>
        <label>
          <span>View as</span>
          <select value={role.value} onChange={({ currentTarget }) => (role.value = currentTarget.value)}>
            <option value="">yourself</option>
            {roles.map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        {role.value && (
          <button type="button" onClick={() => (role.value = '')}>
            Back to your own view
          </button>
        )}
      </div>
      {role.value ? <SeenAs key={role.value} desk={desk} person={person} role={role.value} /> : children}
    </>
  )
}

type Seen =
  | { readonly name: 'loading' }
  | { readonly name: 'known'; readonly beliefs: ReadonlyMap<string, Belief>; readonly hidden: readonly string[] }
  | { readonly name: 'unknown'; readonly why: string }

interface SeenProps {
  readonly desk: Desk
  readonly person: Person
  readonly role: string
}

const NONE: readonly string[] = []

function SeenAs({ desk, person, role }: SeenProps) {
  const seen = useSignal<Seen>({ name: 'loading' })
  const fields = person.facts.fields.value ?? NONE
  const up = isUp.value
  useEffect(() => {
    let isOver = false
    if (up)
      void look(desk, person.id, role, fields).then(next => {
        if (!isOver) seen.value = next
      })
    return () => {
      isOver = true
    }
  }, [desk, person.id, role, fields, up])
  const state = seen.value
  if (state.name === 'unknown') return <p class="notice bad">{state.why}</p>
  if (state.name === 'loading')
    return <p class="soft">{up ? 'Loading…' : 'Offline. It is loaded when the connection is back.'}</p>
  const { beliefs, hidden } = state
  return (
    <section class="card seen-as" aria-label={`As ${role}`}>
      <p class="notice warn" role="status">
        This is what <strong>{role}</strong> sees of the model: {beliefs.size} of {beliefs.size + hidden.length}. The
        grant of a handoff can narrow it further.
      </p>
      <h2>Seen by {role}</h2>
      {beliefs.size === 0 && <p class="soft">Nothing.</p>}
      <ul>
        {[...beliefs].map(([field, belief]) => (
          <li key={field}>
            <span class="soft">{fullLabel(field)}</span>
            <span class="grow">{fieldSeen(desk, field)?.sensitivity === 'secret' ? '••••' : shown(belief.value)}</span>
            <span class="number">{percent(belief.confidence)}</span>
          </li>
        ))}
      </ul>
      {hidden.length > 0 && (
        <>
          <h2>Hidden from {role}</h2>
          <ul>
            {hidden.map(field => (
              <li key={field} class="out">
                <span class="soft">{fullLabel(field)}</span>
                <span class="tag warn">hidden</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** What was known before it was asked for and is not in the answer is hidden; what is learned meanwhile asks anew. */
async function look(desk: Desk, user: string, as: string, known: readonly string[]): Promise<Seen> {
  try {
    const model = await desk.user(user).model({ as })
    return {
      name: 'known',
      beliefs: new Map(model.entries()),
      hidden: known.filter(field => !model.has(field)).sort(),
    }
  } catch (error) {
    return { name: 'unknown', why: error instanceof Error ? error.message : String(error) }
  }
}

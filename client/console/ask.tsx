import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export interface Input {
  readonly name: string
  readonly label: string
  readonly kind: 'line' | 'text' | 'number' | 'choice'
  readonly value?: string
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly optional?: boolean
  readonly hint?: string
}

/** What a person is asked before something is done. */
export interface Question {
  readonly title: string
  readonly about?: string
  readonly inputs: readonly Input[]
  readonly action: string
  readonly tone?: 'danger'
  run(answers: Readonly<Record<string, string>>): Promise<unknown>
}

const question = signal<Question | undefined>(undefined)
const trouble = signal<string | undefined>(undefined)
const isBusy = signal(false)

export function ask(asked: Question): void {
  trouble.value = undefined
  isBusy.value = false
  question.value = asked
}

export const reason = (label = 'Why', hint?: string): Input => ({
  name: 'why',
  label,
  kind: 'text',
  ...(hint !== undefined && { hint }),
})

async function submit(form: HTMLFormElement, { run }: Question): Promise<void> {
  const answers = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]))
  isBusy.value = true
  try {
    await run(answers)
    question.value = undefined
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error)
  } finally {
    isBusy.value = false
  }
}

export function Asked() {
  const dialog = useRef<HTMLDialogElement>(null)
  const asked = question.value
  useEffect(() => {
    if (asked) dialog.current?.showModal()
  }, [asked])
  if (!asked) return null
  return (
    <dialog
      ref={dialog}
      aria-labelledby="ask-title"
      onClose={() => {
        question.value = undefined
      }}
    >
      <form
        method="dialog"
        onSubmit={event => {
          event.preventDefault()
          submit(event.currentTarget, asked)
        }}
      >
        <h2 id="ask-title">{asked.title}</h2>
        {asked.about && <p class="soft">{asked.about}</p>}
        {asked.inputs.map(input => (
          <Field key={input.name} input={input} />
        ))}
        {trouble.value && (
          <p class="notice bad" role="alert">
            {trouble.value}
          </p>
        )}
        <div class="actions end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={asked.tone ?? 'primary'} disabled={isBusy.value}>
            {isBusy.value ? 'Working…' : asked.action}
          </button>
        </div>
      </form>
    </dialog>
  )
}

function Field({ input }: { readonly input: Input }) {
  const { name, label, kind, value = '', options = [], optional = false, hint } = input
  const own = { id: `ask-${name}`, name, required: !optional }
  return (
    <div class="field">
      <label for={own.id}>
        {label}
        {optional && <span class="soft"> · optional</span>}
      </label>
      {kind === 'text' && <textarea {...own} rows={3} defaultValue={value} />}
      {kind === 'line' && <input {...own} type="text" defaultValue={value} autocomplete="off" />}
      {kind === 'number' && <input {...own} type="number" step="any" defaultValue={value} />}
      {kind === 'choice' && (
        <select {...own}>
          {options.map(option => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      {hint && <p class="hint">{hint}</p>}
    </div>
  )
}

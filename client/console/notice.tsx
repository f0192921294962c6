import { signal } from '@preact/signals'

interface Told {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
}

const told = signal<readonly Told[]>([])
let last = 0
const SHOWN = 8_000

export function tell(text: string, tone: Told['tone'] = 'good'): void {
  last += 1
  const id = last
  told.value = [...told.value.slice(-2), { id, text, tone }]
  setTimeout(() => {
    told.value = told.value.filter(each => each.id !== id)
  }, SHOWN)
}

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {told.value.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
)

import type { Json } from '../../model/value.ts'

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]

/** `2 h`, `3 d`: one figure is enough to judge by. */
export function span(milliseconds: number): string {
  const time = Math.max(0, milliseconds)
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`
  if (time < HOUR) return `${Math.floor(time / MINUTE)} min`
  if (time < 2 * DAY) return `${Math.floor(time / HOUR)} h`
  return `${Math.floor(time / DAY)} d`
}

export const ago = (at: number, now: number): string => (now - at < 5 * SECOND ? 'just now' : `${span(now - at)} ago`)

/** `9:59`, `11:59:03`: for what counts down. */
export function countdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / SECOND))
  const two = (part: number) => String(part).padStart(2, '0')
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
export const spaced = (name: string): string => name.replaceAll('_', ' ')

/** `emotion.churn_risk` → `Churn risk`; the group is said by the heading above it. */
export const labelOf = (field: string): string => capital(spaced(field.split('.').slice(1).join(' · ') || field))
export const groupOf = (field: string): string => field.split('.')[0] ?? field
export const titleOf = (name: string): string => capital(spaced(name))
/** `Emotion: churn risk`, where no heading says the group. */
export const fullLabel = (field: string): string => `${titleOf(groupOf(field))}: ${labelOf(field).toLowerCase()}`

/** A value as people read it. */
export function shown(value: Json): string {
  if (value === null) return '—'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return /^[a-z0-9]+(_[a-z0-9]+)+$/.test(value) ? capital(spaced(value)) : value
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(shown).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, each]) => `${spaced(key)}: ${shown(each ?? null)}`)
      .join(', ')
  return String(value)
}

export const percent = (share: number): string => `${Math.round(share * 100)}\u00a0%`

export const urgencyOf = (urgency: number): 'high' | 'medium' | 'low' =>
  urgency >= 0.7 ? 'high' : urgency >= 0.4 ? 'medium' : 'low'

/** `Wednesday, 18 November 2026`, as this browser's language says it. */
export const day = (at: number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: 'full' })
export const hour = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

export const moment = (at: number): string =>
  new Date(at).toLocaleString(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })

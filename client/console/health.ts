import { signal } from '@preact/signals'
import type { Desk, QualityAnswer } from '../index.ts'

/** How handoffs go, as far as it was told last; `why`: what kept it from being told. */
export type Health =
  | { readonly name: 'loading' }
  | { readonly name: 'known'; readonly quality: QualityAnswer }
  | { readonly name: 'unknown'; readonly why: string }

export type Period = 'day' | 'week'

const REFRESH = 30_000
const DAY = 86_400_000
const DAYS: Readonly<Record<Period, number>> = { day: 14, week: 8 * 7 }

export const health = signal<Health>({ name: 'loading' })
export const period = signal<Period>('week')

/** Keeps it up to date, at each alert at once, until stopped. */
export function followHealth(desk: Desk, by: Period): () => void {
  let isStopped = false
  const load = async (): Promise<void> => {
    const next = await told(desk, by)
    if (!isStopped) health.value = next
  }
  const stop = desk.onAlert(() => void load())
  const timer = setInterval(() => void load(), REFRESH)
  void load()
  return () => {
    isStopped = true
    clearInterval(timer)
    stop()
  }
}

async function told(desk: Desk, by: Period): Promise<Health> {
  try {
    return { name: 'known', quality: await desk.stats({ by, from: Math.floor(desk.now() - (DAYS[by] - 1) * DAY) }) }
  } catch (error) {
    return { name: 'unknown', why: error instanceof Error ? error.message : String(error) }
  }
}

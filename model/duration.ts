const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_557_600_000 } as const

export const DURATION_PATTERN = '^(never|[0-9]+(\\.[0-9]+)?(ms|s|m|h|d|w|y))$'
const SHAPE = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w|y)$/

/** "90s" → 90_000, "14d" → 1_209_600_000, "never" → Infinity; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === 'never') return Number.POSITIVE_INFINITY
  const match = SHAPE.exec(text)
  if (!match) return undefined
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}

/** 90_000 → "90s", 1_209_600_000 → "2w", Infinity → "never": the largest unit that divides it. */
export function formatDuration(ms: number): string {
  if (ms === Number.POSITIVE_INFINITY) return 'never'
  const units = Object.entries(UNITS).reverse()
  const [name, size] = units.find(([, unit]) => ms >= unit && ms % unit === 0) ?? ['ms', 1]
  return `${ms / size}${name}`
}

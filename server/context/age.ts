const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** 7_200_000 → "2 h". Of two units the smaller one up to twice the larger, so that no age is off by half. */
export function ageOf(ms: number): string {
  if (ms < MINUTE) return 'now'
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)} d`
  return `${Math.floor(ms / YEAR)} y`
}

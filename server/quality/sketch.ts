/**
 * Counts of durations by magnitude: bucket b holds those in (γ^(b−1), γ^b] milliseconds, bucket 0 all up to 1. Two sketches
 * are merged by adding counts, and a quantile is off by at most half a bucket, 2.5 %. From a millisecond to a month there
 * are 445 buckets, so a sketch is small whatever it counts.
 */
export interface Sketch {
  readonly [bucket: string]: number
}

const GAMMA = 1.05
const LONGEST = 31 * 86_400_000

const bucketOf = (milliseconds: number): number =>
  Math.max(0, Math.ceil(Math.log(Math.min(Math.max(milliseconds, 1), LONGEST)) / Math.log(GAMMA)))

/** In the middle of a bucket by magnitude. */
const middleOf = (bucket: number): number => (bucket === 0 ? 1 : (2 * GAMMA ** bucket) / (1 + GAMMA))

export const counted = (sketch: Sketch, milliseconds: number): Sketch => {
  const bucket = bucketOf(milliseconds)
  return { ...sketch, [bucket]: (sketch[bucket] ?? 0) + 1 }
}

export function joined(a: Sketch, b: Sketch): Sketch {
  const sum: Record<string, number> = { ...a }
  for (const [bucket, count] of Object.entries(b)) sum[bucket] = (sum[bucket] ?? 0) + count
  return sum
}

/** The duration that a share of all is not above; undefined when there is none. */
export function quantile(sketch: Sketch, share: number): number | undefined {
  const buckets = Object.entries(sketch).map(([bucket, count]) => [Number(bucket), count] as const)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let below = 0
  for (const [bucket, count] of buckets.sort(([a], [b]) => a - b)) {
    below += count
    if (below >= share * total) return middleOf(bucket)
  }
  return undefined
}

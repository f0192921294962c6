/** Median microseconds of each task, all taken in turn so that whatever slows the machine slows every one of them. */
export function medians(tasks: readonly ((round: number) => void)[], rounds: number): number[] {
  const times = tasks.map((): number[] => [])
  const warmUp = Math.ceil(rounds / 4)
  for (let round = 0; round < warmUp + rounds; round++)
    for (const [i, task] of tasks.entries()) {
      const start = performance.now()
      task(round)
      const took = performance.now() - start
      if (round >= warmUp) times[i]?.push(took * 1_000)
    }
  return times.map(median)
}

/** The number that a share of sorted numbers is below. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

export const median = (numbers: readonly number[]): number => quantile(sorted(numbers), 0.5)

export const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

import fc from 'fast-check'
import { test } from 'vitest'

const CASES = process.env['SELFSAME_LONG'] === '1' ? 100_000 : 1_000
/** Milliseconds: a slow machine must not look like a broken law. */
const SLOW = process.env['SELFSAME_LONG'] === '1' ? 7_200_000 : 300_000
const { SELFSAME_SEED: SEED, SELFSAME_PATH: PATH } = process.env

/**
 * A promise that holds for everything that can be generated. The check throws where it does not.
 * Every run draws anew; a failure prints what to set to see the same case again.
 */
export function law<T>(name: string, arbitrary: fc.Arbitrary<T>, check: (value: T) => unknown): void {
  test(name, () => {
    const property = fc.property(arbitrary, value => {
      check(value)
    })
    report(name, fc.check(property, parameters(CASES)))
  })
}

/** The same of what takes its time: so many hundred cases in the daily run. */
export function slowLaw<T>(
  name: string,
  hundreds: number,
  arbitrary: fc.Arbitrary<T>,
  check: (value: T) => Promise<unknown>,
): void {
  test(
    name,
    async () => {
      const property = fc.asyncProperty(arbitrary, async value => {
        await check(value)
      })
      report(name, await fc.check(property, parameters((hundreds * CASES) / 10)))
    },
    SLOW,
  )
}

const parameters = (numRuns: number) => ({
  seed: SEED === undefined ? freshSeed() : Number(SEED),
  numRuns,
  ...(PATH !== undefined && { path: PATH, endOnFailure: true }),
})

function report<T>(name: string, details: fc.RunDetails<T>): void {
  if (details.failed)
    throw new Error(`${fc.defaultReportMessage(details)}\n${details.errorInstance}\n\n${replay(name, details)}`)
}

const freshSeed = (): number => Math.floor(Math.random() * 0x7fffffff)

const replay = (name: string, { seed, counterexamplePath }: { seed: number; counterexamplePath: string | null }) =>
  `Replay: SELFSAME_SEED=${seed} SELFSAME_PATH=${counterexamplePath ?? ''} npm test -- -t ${JSON.stringify(escaped(name))}`

/** `-t` takes a regular expression, and names begin with brackets. */
const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

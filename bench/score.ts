/** How likely a method held `true` to be, and whether it was. */
export interface Forecast {
  readonly probability: number
  readonly truth: boolean
}

/** Mean squared error over both classes: 0 is perfect, 0.5 is what "I don't know" costs. */
export function brier(forecasts: readonly Forecast[]): number {
  let sum = 0
  for (const { probability, truth } of forecasts) sum += 2 * (1 - (truth ? probability : 1 - probability)) ** 2
  return sum / forecasts.length
}

const BINS = 10

/** How far, on average, the confidence in the predicted class is from how often it is right. */
export function calibrationError(forecasts: readonly Forecast[]): number {
  const gaps = new Array<number>(BINS).fill(0)
  for (const { probability, truth } of forecasts) {
    const predicted = probability >= 0.5
    const confidence = predicted ? probability : 1 - probability
    const bin = Math.min(BINS - 1, Math.floor(confidence * BINS))
    gaps[bin] = (gaps[bin] ?? 0) + confidence - (predicted === truth ? 1 : 0)
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / forecasts.length
}

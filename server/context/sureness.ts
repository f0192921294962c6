const SURE = 0.9
const LIKELY = 0.6
/** Evidence adds up towards certainty and never arrives there, nor should rounding. */
const MOST = 0.99

/** Two digits: what is shown, and how fine two beliefs are told apart. */
export const rounded = (confidence: number): number => Math.min(MOST, Math.round(confidence * 100) / 100)

/** .95 → "sure .95" */
export const surenessOf = (confidence: number): string => `${word(confidence)} ${share(confidence)}`

export const share = (confidence: number): string => rounded(confidence).toFixed(2).slice(1)

const word = (confidence: number): string =>
  rounded(confidence) >= SURE ? 'sure' : rounded(confidence) >= LIKELY ? 'likely' : 'unsure'

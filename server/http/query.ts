/** Query parameters as the operations ask for them: lists by comma, numbers and flags as such, the rest as text. */
export function readQuery(query: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).map(([key, text]) => [key, KINDS.get(key)?.(text) ?? text]))
}

const number = (text: string): unknown => (text.trim() === '' ? text : Number.isNaN(Number(text)) ? text : Number(text))
const flag = (text: string): unknown => (text === 'true' ? true : text === 'false' ? false : text)

/** A map, as anyone may name a parameter `__proto__`. */
const KINDS: ReadonlyMap<string, (text: string) => unknown> = new Map([
  ['fields', (text: string) => text.split(',')],
  ['minConfidence', number],
  ['tokens', number],
  ['from', number],
  ['to', number],
  ['limit', number],
  ['stale', flag],
  ['course', flag],
])

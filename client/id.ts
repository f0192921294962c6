const BYTES = 16

/** Not `randomUUID`, which browsers keep from pages that came over plain http. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), byte => byte.toString(16).padStart(2, '0')).join('')

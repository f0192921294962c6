import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const BYTES = 32
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/

/** What webhooks are signed with: made on first use, readable by its owner only, written as receivers' libraries take it. */
export function webhookSecret(file: string): Uint8Array {
  if (!existsSync(file))
    writeFileSync(file, `whsec_${randomBytes(BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  const [, secret] = SECRET.exec(readFileSync(file, 'utf8').trim()) ?? []
  if (secret === undefined)
    throw new Error(`${file} does not hold "whsec_" and 24 bytes or more in base64. Delete it to make a new one.`)
  return Buffer.from(secret, 'base64')
}

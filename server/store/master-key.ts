import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { KEY_BYTES } from './seal.ts'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/** The key that wraps all others, from its file; made on the first start. Who loses it loses everything. */
export function masterKey(path: string): Uint8Array {
  return existsSync(path) ? readKey(path) : makeKey(path)
}

function readKey(path: string): Uint8Array {
  const file = openSync(path, 'r')
  try {
    if (process.platform !== 'win32' && (fstatSync(file).mode & OTHERS) !== 0)
      throw new Error(`${path} can be read by others. Run: chmod 600 ${path}`)
    const key = readFileSync(file)
    if (key.length !== KEY_BYTES) throw new Error(`${path} has ${key.length} bytes and must have ${KEY_BYTES}.`)
    return key
  } finally {
    closeSync(file)
  }
}

function makeKey(path: string): Uint8Array {
  mkdirSync(dirname(path), { recursive: true })
  const key = randomBytes(KEY_BYTES)
  const file = openSync(path, 'wx', OWNER_ONLY)
  try {
    writeSync(file, key)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncDirectory(dirname(path))
  return key
}

/** A file is there after a crash only when its directory was synced too. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

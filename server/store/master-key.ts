import { execSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { KEY_BYTES } from './seal.ts'

/** Where the key comes from that wraps all others. Who loses it loses everything. */
export interface MasterKey {
  /** The keys that may be in force: two, when a rotation was cut short. */
  candidates(): readonly Uint8Array[]
  /** Keeps the key that is about to come into force, so that it is there whatever happens next. */
  propose(key: Uint8Array): void
  /** This one is in force; others are forgotten. */
  settle(key: Uint8Array): void
}

const OWNER_ONLY = 0o600
const OTHERS = 0o077
const COMMAND_DEADLINE = 30_000
const MAX_OUTPUT = 4_096

/** In a file of its own, made on the first start. While it is being replaced, the next one lies beside it. */
export class MasterKeyFile implements MasterKey {
  readonly #path: string
  readonly #next: string

  constructor(path: string) {
    this.#path = path
    this.#next = `${path}.next`
  }

  candidates(): readonly Uint8Array[] {
    if (!existsSync(this.#path)) writeKey(this.#path, randomBytes(KEY_BYTES))
    return [this.#path, this.#next].filter(existsSync).map(readKey)
  }

  propose(key: Uint8Array): void {
    writeKey(this.#next, key)
  }

  settle(key: Uint8Array): void {
    if (!existsSync(this.#next)) return
    if (Buffer.from(readKey(this.#next)).equals(key)) renameSync(this.#next, this.#path)
    else rmSync(this.#next)
    syncDirectory(dirname(this.#path))
  }
}

/** Given by whoever starts the process, who also keeps it. */
export class GivenMasterKey implements MasterKey {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  candidates(): readonly Uint8Array[] {
    return [this.#key]
  }

  propose(): void {}

  settle(): void {}
}

/** 32 bytes as 64 hexadecimal digits or as base64. */
export function readMasterKey(text: string, whence: string): Uint8Array {
  const given = text.trim()
  const key = Buffer.from(given, /^[0-9a-f]{64}$/i.test(given) ? 'hex' : 'base64')
  if (key.length !== KEY_BYTES || !/^[\w+/=-]+$/.test(given))
    throw new Error(`${whence} must be ${KEY_BYTES} bytes, as 64 hexadecimal digits or as base64.`)
  return key
}

/** What a command of the operator's prints: that of a key manager, say. */
export function masterKeyBy(command: string): Uint8Array {
  const printed = execSync(command, {
    encoding: 'utf8',
    timeout: COMMAND_DEADLINE,
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return readMasterKey(printed, 'What --master-key-command prints')
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

/** Whole or not at all, also when the process is killed halfway. */
function writeKey(path: string, key: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.draft`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', OWNER_ONLY)
  try {
    writeSync(file, key)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  syncDirectory(dirname(path))
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

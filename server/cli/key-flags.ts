import type { KeyFlags } from '../store/open-archive.ts'

/** Where the master key comes from, as flags of every command that opens the data. */
export const KEY_FLAGS = ['master-key', 'master-key-command'] as const

export const keyFlagsOf = (flags: Readonly<Record<(typeof KEY_FLAGS)[number], string | undefined>>): KeyFlags => ({
  file: flags['master-key'],
  command: flags['master-key-command'],
})

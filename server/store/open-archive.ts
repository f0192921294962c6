import { Archive } from './archive.ts'
import { GivenMasterKey, type MasterKey, MasterKeyFile, masterKeyBy, readMasterKey } from './master-key.ts'

/** In the environment only: what stands on a command line can be read by others. */
const VALUE = 'SELFSAME_MASTER_KEY_VALUE'

export interface KeyFlags {
  readonly file?: string | undefined
  readonly command?: string | undefined
}

/** The embedded store in a directory. Its master key may be kept elsewhere, and should be. */
export function openArchive(directory: string, key: KeyFlags = {}): Promise<Archive> {
  const master = masterKeyFrom(key)
  return Archive.open(directory, master ? { master } : {})
}

/** From a command, a file or the environment; undefined when nothing says where from. */
export function masterKeyFrom({ file, command }: KeyFlags): MasterKey | undefined {
  const value = process.env[VALUE]
  if ([file, command, value].filter(given => given !== undefined && given !== '').length > 1)
    throw new Error(`Give the master key in one way only: --master-key, --master-key-command or ${VALUE}.`)
  if (command !== undefined) return new GivenMasterKey(masterKeyBy(command))
  if (file !== undefined) return new MasterKeyFile(file)
  return value ? new GivenMasterKey(readMasterKey(value, VALUE)) : undefined
}

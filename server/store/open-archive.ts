import { Archive } from './archive.ts'
import { masterKey } from './master-key.ts'

/** The embedded store in a directory. Its master key may be kept elsewhere, and should be. */
export const openArchive = (directory: string, keyFile: string | undefined): Promise<Archive> =>
  Archive.open(directory, keyFile === undefined ? {} : { master: masterKey(keyFile) })

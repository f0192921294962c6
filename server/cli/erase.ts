import { isId } from '../../model/name.ts'
import { Aliases } from '../alias/aliases.ts'
import { openArchive } from '../store/open-archive.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

/** Erases a user, and all names joined to it, in the data of a server that is stopped. */
export async function eraseCommand(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, ['data', ...KEY_FLAGS])
  const { data = './data' } = flags
  const [user] = rest
  if (user === undefined || rest.length > 1 || !isId(user)) throw new UsageError('Name one USER.')
  requireData(data)
  const archive = await openArchive(data, keyFlagsOf(flags))
  try {
    const known = archive.knows(user)
    const aliases = new Aliases(archive)
    const account = aliases.accountOf(user)
    if (account !== undefined)
      throw new UsageError(`${user} is another name of ${account}. Erase that, or part the two on a running server.`)
    for (const name of [...aliases.of(user).map(({ alias }) => alias), user]) {
      await archive.erase(name, Date.now())
      await archive.audit.append([{ at: Date.now(), kind: 'erasure', what: archive.digestOf(name) }])
    }
    console.log(known ? `${user} is erased.` : `Nothing is known of ${user} in ${data}.`)
  } finally {
    await archive.close()
  }
}

import { headShape } from '../audit/head.ts'
import { lastHeadIn, verifyIn } from '../audit/look.ts'
import type { Problem, Report } from '../audit/verification.ts'
import { masterKeyFrom } from '../store/open-archive.ts'
import { readJsonFile } from './config.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

/** `audit verify` checks the audit and answers with the exit code; `audit head` prints what to keep elsewhere. */
export async function audit(args: readonly string[]): Promise<number> {
  const { flags, lists, rest } = readFlags(args, ['data', ...KEY_FLAGS], ['head'])
  const { data = './data' } = flags
  requireData(data)
  const master = masterKeyFrom(keyFlagsOf(flags))
  const [what] = rest
  if (rest.length !== 1 || (what !== 'verify' && what !== 'head'))
    throw new UsageError('Say `audit verify` or `audit head`.')
  if (what === 'head') {
    const head = lastHeadIn(data, master)
    if (!head)
      throw new UsageError(`Nothing has been signed in ${data} yet. A server signs each minute and when it stops.`)
    console.log(JSON.stringify(head))
    return 0
  }
  const report = verifyIn(data, master, (lists['head'] ?? []).map(readHead))
  for (const line of linesOf(report)) console.log(line)
  return report.finding ? 1 : 0
}

function readHead(file: string) {
  const head = headShape.safeParse(readJsonFile(file))
  if (!head.success) throw new UsageError(`${file} is not a head as \`selfsame audit head\` prints it.`)
  return head.data
}

const MEANING: Record<Problem, string> = {
  altered: 'is not what was written',
  missing: 'is missing',
  moved: 'stands in the place of another',
  truncated: 'and what came after it, up to the signed head, is missing',
  'not as signed': 'is not the one that was signed',
}

function linesOf({ first, last, finding, crashes, unsigned }: Report): string[] {
  const time = (at: number) => new Date(at).toISOString()
  return [
    ...crashes.map(
      ({ after, from, to }) =>
        `After entry ${after} the server ended without a stop, between ${time(from)} and ${time(to)}. Reads of its last moment may not be noted.`,
    ),
    ...(first > 1 ? [`Entries up to ${first - 1} were taken away by retention, as is signed.`] : []),
    finding
      ? `Entry ${finding.entry} ${MEANING[finding.problem]}.`
      : `Entries ${first} to ${last} are as they were written${unsigned > 0 ? `; the last ${unsigned} are not under a signed head yet` : ''}.`,
  ]
}

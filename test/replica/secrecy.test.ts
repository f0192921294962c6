import { expect, test } from 'vitest'
import { Keyring } from '../../server/store/keyring.ts'
import { MemoryDisk } from '../../server/store/memory-cells.ts'
import { slowLaw } from '../law.ts'
import { type Step, schedules } from './network/schedule.ts'
import { USER } from './network/site.ts'
import { CANARIES, Village } from './network/village.ts'

slowLaw(
  '[REP-65] no byte that a restricted replica is ever sent tells of hidden fields, their values, who wrote them or took them back',
  1,
  schedules,
  async steps => {
    const village = await Village.found({ writesPerFold: 24, wordsPerFold: 6 })
    await (await village.live(steps)).gather()
    for (const peer of village.restricted) expect(heardOf(peer)).toEqual([])
    await village.end()
  },
)

const heardOf = ({ received }: Village['restricted'][number]): string[] => {
  const text = Buffer.concat(received).toString('latin1').toLowerCase()
  return CANARIES.filter(canary => text.includes(canary))
}

/**
 * Whose grant is withdrawn starts afresh if it held what is hidden, and then says later what it had to say of the rest.
 * That is a difference in what is open.
 */
const withoutGrants = (steps: readonly Step[]) => steps.filter(step => step.do !== 'grant')

/** The same schedule with all that is hidden, and without any of it, in stores with the same keys. */
async function lived(steps: readonly Step[], keys: MemoryDisk): Promise<string[][]> {
  const village = await Village.found({ writesPerFold: 24, wordsPerFold: 6 }, keys)
  await (await village.live(steps)).gather()
  await village.end()
  return village.restricted.map(({ received }) => received.map(message => Buffer.from(message).toString('hex')))
}

slowLaw(
  '[REP-66] two histories that differ in hidden fields only are the same to a restricted replica, down to every byte',
  1,
  schedules,
  async schedule => {
    const steps = withoutGrants(schedule)
    const keys = new MemoryDisk()
    await Keyring.inMemory(keys).mint(USER)
    const busy = await lived(steps, keys)
    const quiet = await lived(
      steps.filter(step => step.do !== 'hide'),
      keys,
    )
    expect(busy).toEqual(quiet)
  },
)

test('[REP-67] words of an interaction look the same to a restricted replica, but for the opaque name of their episode, whether or not hidden fields were spoken of first', async () => {
  const keys = new MemoryDisk()
  await Keyring.inMemory(keys).mint(USER)
  const told = async (isBusy: boolean) => {
    const { site, peers } = await Village.found({}, keys)
    const tom = site.session('tom', 'keeper')
    const [rita] = peers
    rita?.join()
    const hidden = { id: 'h', field: 'vault.a.note', value: 'hush', interaction: 'i1' }
    if (isBusy) await site.write(tom, 'observation', hidden)
    for (const [id, value] of ['calm', 'angry'].entries())
      await site.write(tom, 'observation', { id: `${id}`, field: 'open.mood', value, interaction: 'i1' })
    while (rita?.flush('up', 9) || rita?.flush('down', 9)) await site.calm()
    const episodes = Object.values(rita?.evidence ?? {}).map(piece => (piece.type === 'word' ? piece.episode : ''))
    expect(new Set(episodes).size).toBe(1)
    return rita?.received.map(message =>
      Buffer.from(message)
        .toString('latin1')
        .replaceAll(episodes[0] ?? '', 'e'),
    )
  }
  expect(await told(true)).toEqual(await told(false))
})

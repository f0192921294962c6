import { expect, test } from 'vitest'
import { DAY, HOUR } from '../server/support/clock.ts'
import { vault } from '../server/support/vault.ts'
import { Peer } from './network/peer.ts'
import { Site } from './network/site.ts'

const MOOD = { field: 'open.mood', value: 'angry', confidence: 0.6 }

async function start() {
  const site = await Site.start({ schema: vault, limits: { wordsPerFold: 8 } })
  const replica = new Peer(site, site.session('rita', 'reader'))
  return { site, replica, ann: site.session('ann', 'person'), tom: site.session('tom', 'keeper') }
}

async function sync(site: Site, peer: Peer): Promise<void> {
  peer.join()
  while (peer.flush('up', 99) || peer.flush('down', 99)) await site.calm()
}

const moods = ({ evidence }: Peer) => Object.values(evidence).filter(piece => piece.type !== 'retraction')

/** Enough words of the field, in closed episodes, that it is compacted. */
async function fold(site: Site, who: Parameters<Site['write']>[0]): Promise<void> {
  for (let i = 0; i < 9; i++) {
    site.clock.advance(HOUR)
    await site.write(who, 'observation', { ...MOOD, value: 'sad', interaction: `f${i}` })
  }
  await site.calm()
}

test('[REP-70] what a replica wrote and a person took back stays so when an old copy of the replica is resent', async () => {
  const { site, replica, ann } = await start()
  replica.outbox.set('k', { ...MOOD, id: 'o' })
  replica.keepCopy()
  await sync(site, replica)
  expect(moods(replica)).toHaveLength(1)
  await site.write(ann, 'retraction', { agent: 'rita' })
  await site.calm()
  await sync(site, replica)
  expect(moods(replica)).toHaveLength(0)
  replica.putBack(0)
  await sync(site, replica)
  expect(moods(replica)).toHaveLength(0)
  expect([...replica.outbox.keys()]).toEqual([])
  expect(replica.receipts['k']).toMatchObject({ status: 'admitted' })
})

test('[REP-71] what was compacted away stays so for who was away for a month and for who sends its old outbox again', async () => {
  const { site, replica, tom } = await start()
  replica.outbox.set('k', { ...MOOD, id: 'o' })
  replica.keepCopy()
  await sync(site, replica)
  replica.outbox.set('k2', { ...MOOD, value: 'calm', id: 'o2' })
  await sync(site, replica)
  replica.keepCopy()
  replica.cut()
  site.clock.advance(31 * DAY)
  await fold(site, tom)
  await site.restart('orderly')
  const fresh = new Peer(site, replica.session)
  await sync(site, fresh)
  await sync(site, replica)
  expect(replica.closures).toEqual([])
  expect(replica.evidence).toEqual(fresh.evidence)
  expect(Object.values(replica.evidence).some(({ type }) => type === 'pack')).toBe(true)
  for (const copy of [0, 1]) {
    replica.putBack(copy)
    await sync(site, replica)
    expect(replica.evidence).toEqual(fresh.evidence)
    expect([...replica.outbox.keys()]).toEqual([])
  }
})

test('[REP-72] who loses a scope and gets it back finds what was denied and taken back meanwhile gone', async () => {
  const { site, ann, tom } = await start()
  const kim = new Peer(site, site.session('kim', 'keeper'))
  await site.write(tom, 'observation', { ...MOOD, interaction: 'i1' })
  await sync(site, kim)
  kim.keepCopy()
  site.scopes.grant(kim.session, ['open.note'])
  await sync(site, kim)
  expect(kim.closures).toEqual([4409])
  await site.write(ann, 'observation', { field: 'open.mood', value: 'angry', not: true, confidence: 0.95 })
  await site.write(ann, 'retraction', { interaction: 'i1' })
  await sync(site, kim)
  expect(kim.evidence).toEqual({})
  kim.putBack(0)
  await sync(site, kim)
  expect(kim.closures).toEqual([4409, 4409])
  site.scopes.grant(kim.session, ['**'])
  kim.putBack(0)
  await sync(site, kim)
  expect(Object.values(kim.evidence).map(piece => [piece.type, 'not' in piece])).toEqual(
    expect.arrayContaining([['word', true]]),
  )
  expect(moods(kim)).toHaveLength(1)
})

test('[REP-73] who loses the connection before its receipts arrive is told the outcome when it comes back', async () => {
  const { site, replica } = await start()
  await sync(site, replica)
  replica.outbox.set('k', { ...MOOD, id: 'o' })
  replica.flush('up', 9)
  await site.settle()
  replica.cut()
  await sync(site, replica)
  expect([...replica.outbox.keys()]).toEqual([])
  expect(replica.receipts).toEqual({ k: { status: 'admitted' } })
  expect(moods(replica)).toHaveLength(1)
})

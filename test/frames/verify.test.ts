import { expect, test } from 'vitest'
import { z } from 'zod'
import { paperOf } from '../../server/handoff/kept.ts'
import type { Archive } from '../../server/store/archive.ts'
import { deskOf } from '../handoff/desk.ts'
import { Shelf } from './archive.ts'

const HOPS = 9
const AGENTS = ['hal:human', 'sue:supervisor']

/** Work that goes to and fro, each hop with a constraint of its own. */
async function chained(shelf: Shelf, hops = HOPS): Promise<string[]> {
  const { agents, user } = shelf
  const started = await agents.start('sue:supervisor', user, { constraints: ['no calls'] })
  const chain = [started.body.handoff.id]
  for (let hop = 1; hop <= hops; hop++) {
    const [to = '', from = ''] = hop % 2 === 1 ? AGENTS : [...AGENTS].reverse()
    const given = {
      handoff: chain.at(-1),
      epoch: 1,
      to: to.split(':')[1],
      reason: 'yours',
      constraints: [`rule ${hop}`],
    }
    const { body } = await agents.post(from, '/v1/handoffs', given)
    await shelf.act(to, body.id, 'accept', {})
    chain.push(body.id)
  }
  return chain
}

const verified = async (shelf: Shelf, id: string) =>
  JSON.parse((await (await shelf.agents.caller('sue:supervisor')).get(`/v1/handoffs/${id}/verify`)).text)

test('[FRAME-7] a chain of ten handoffs holds from the first to each of them, also after it is over and the server was restarted', async () => {
  const shelf = await Shelf.start()
  const chain = await chained(shelf)
  for (const [hop, id] of chain.entries())
    expect(await verified(shelf, id)).toEqual({ handoff: id, hops: chain.slice(0, hop + 1), broken: null })
  const last = chain.at(-1) ?? ''
  await shelf.act('hal:human', last, 'complete', { epoch: 1, result: 1 })
  await shelf.tamper(() => {})
  expect(await verified(shelf, last)).toEqual({ handoff: last, hops: chain, broken: null })
  const desk = await deskOf(shelf.agents.world, 'hal', 'human')
  expect((await desk.handoff(last).verify()).broken).toBeNull()
})

const section = z.looseObject({ name: z.string(), body: z.unknown() })
const kept = z.looseObject({
  handoff: z.looseObject({}),
  envelope: z.looseObject({ previous: z.string().nullable(), sections: z.array(section) }),
})
type Stored = z.infer<typeof kept>

/** Rewrites what is stored of a handoff under the user's own key. */
async function rewrite(
  archive: Archive,
  user: string,
  name: string,
  change: (paper: unknown) => unknown,
): Promise<void> {
  const written = new Map([[name, change(archive.paper(user, name))]])
  await archive.commit(user, [], () => ({
    ...{ evidence: [], outcomes: [], tallies: [], result: undefined },
    papers: { written, filed: [], isOpen: true },
  }))
}

const inEnvelope =
  (change: (envelope: Stored['envelope']) => object) =>
  (paper: unknown): unknown => {
    const stored = kept.parse(paper)
    return { ...stored, envelope: { ...stored.envelope, ...change(stored.envelope) } }
  }

const inSection = (name: string, change: (body: unknown) => unknown) =>
  inEnvelope(({ sections }) => ({
    sections: sections.map(each => (each.name === name ? { ...each, body: change(each.body) } : each)),
  }))

const TAMPERINGS: Readonly<Record<string, (paper: unknown) => unknown>> = {
  'the intent is reworded': inSection('intent', () => ({ words: 'Something else.', goal: null })),
  'a constraint is dropped': inSection('constraints', body => (body as unknown[]).slice(1)),
  'a constraint is reworded': inSection('constraints', body =>
    (body as object[]).map(rule => ({ ...rule, text: 'calls are fine' })),
  ),
  'the grant is widened': inSection('grant', body => ({ ...(body as object), expires: 9e15 })),
  'a section is taken out': inEnvelope(({ sections }) => ({ sections: sections.slice(0, -1) })),
  'the link is cut': inEnvelope(() => ({ previous: null })),
  'the id is another': inEnvelope(() => ({ id: 'f'.repeat(64) })),
}

test.for(Object.entries(TAMPERINGS))(
  '[FRAME-8] when %s in the middle of a chain, its hop is named, and those before it hold',
  async ([, change]) => {
    const shelf = await Shelf.start()
    const chain = await chained(shelf, 4)
    await shelf.tamper(archive => rewrite(archive, shelf.user, paperOf.handoff(chain[2] ?? ''), change))
    expect((await verified(shelf, chain[4] ?? '')).broken).toEqual({ handoff: chain[2], hop: 2, why: 'altered' })
    expect((await verified(shelf, chain[1] ?? '')).broken).toBeNull()
  },
)

test('[FRAME-8] a hop that stands in the place of another is named, and so is work that says something else', async () => {
  const shelf = await Shelf.start()
  const chain = await chained(shelf, 3)
  await shelf.tamper(archive => {
    const other = kept.parse(archive.paper(shelf.user, paperOf.handoff(chain[0] ?? '')))
    return rewrite(archive, shelf.user, paperOf.handoff(chain[1] ?? ''), paper => ({
      ...kept.parse(paper),
      envelope: other.envelope,
    }))
  })
  expect((await verified(shelf, chain[3] ?? '')).broken).toMatchObject({ handoff: chain[1], why: 'altered' })
  const again = await Shelf.start()
  const [first = ''] = await chained(again, 0)
  await again.tamper(archive => {
    const { handoff } = kept.parse(archive.paper(again.user, paperOf.handoff(first)))
    const work = z.looseObject({}).parse(archive.paper(again.user, paperOf.work(String(handoff['work']))))
    return rewrite(archive, again.user, paperOf.work(String(handoff['work'])), () => ({ ...work, constraints: [] }))
  })
  expect((await verified(again, first)).broken).toEqual({ handoff: first, hop: 0, why: 'work' })
})

test('[FRAME-9] who may not see a handoff can’t tell by verifying it that there is one', async () => {
  const shelf = await Shelf.start()
  const [id = ''] = await chained(shelf, 0)
  const subject = await shelf.agents.caller('u_2:subject')
  const [there, nowhere] = [
    await subject.get(`/v1/handoffs/${id}/verify`),
    await subject.get('/v1/handoffs/h_0/verify'),
  ]
  expect([there.status, there.text]).toEqual([nowhere.status, nowhere.text])
  expect(JSON.parse(there.text).error.code).toBe('handoff_unavailable')
})

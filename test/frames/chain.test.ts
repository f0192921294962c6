import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { BREAKS, type Break, brokenIn, type Link } from '../../model/handoff/chain.ts'
import { type Envelope, sealEnvelope, type Unsalted, VERSION } from '../../model/handoff/envelope.ts'
import type { Json } from '../../model/value.ts'

const sealing = {
  digest: (text: string): string => createHash('sha256').update(text).digest('hex'),
  mac: (text: string): string => createHmac('sha256', 'key').update(text).digest('hex'),
}

interface Said {
  readonly words?: string
  readonly rules?: readonly string[]
  readonly hops?: readonly string[]
  readonly expires?: number
  readonly previous?: string | null
}

/** The hop at a place of a chain, sealed by someone who has the key, with what it says otherwise than it should. */
function sealed(hop: number, before: Envelope | undefined, said: Said): Envelope {
  const { words = 'Help me.', rules = ['a', 'b', 'c', 'd'].slice(0, hop + 1), expires = 100 - hop } = said
  const hops = said.hops ?? ['h_1', 'h_2', 'h_3'].slice(0, hop)
  const open = (name: string, body: Json): Unsalted => ({ name, fields: [], body })
  const sections = [
    open('intent', { words, goal: null }),
    open('task', null),
    open('constraints', [...rules]),
    open('exclusions', []),
    open('grant', { expires }),
    open('hops', { list: [...hops], cycles: [] }),
  ]
  const previous = said.previous === undefined ? (before?.root ?? null) : said.previous
  return sealEnvelope(`h_${hop}`, previous, VERSION, sections, sealing)
}

function chain(at: number, said: Said): Link[] {
  const links: { handoff: string; envelope: Envelope }[] = []
  for (let hop = 0; hop < 4; hop++)
    links.push({ handoff: `h_${hop}`, envelope: sealed(hop, links[hop - 1]?.envelope, hop === at ? said : {}) })
  return links
}

test('[FRAME-10] a hop that was sealed rightly and still drops a rule, rewords the intent, outlives its grant or leaves out a hop is named', () => {
  const drifts: [Break, Said][] = [
    ['intent', { words: 'Something else.' }],
    ['constraint', { rules: ['a', 'c'] }],
    ['constraint', { rules: ['A', 'b', 'c'] }],
    ['hops', { hops: ['h_1'] }],
    ['hops', { hops: ['h_2', 'h_1'] }],
    ['grant', { expires: 100 }],
    ['unlinked', { previous: 'f'.repeat(64) }],
  ]
  expect(brokenIn(chain(2, {}), sealing)).toBeUndefined()
  for (const [why, said] of drifts) expect(brokenIn(chain(2, said), sealing)).toEqual({ handoff: 'h_2', hop: 2, why })
  for (const lost of ['missing', 'unreadable'] as const) {
    const links: Link[] = [{ handoff: 'h_0', lost }, ...chain(2, {}).slice(1)]
    expect(brokenIn(links, sealing)).toEqual({ handoff: 'h_0', hop: 0, why: lost })
  }
  const tested = new Set([...drifts.map(([why]) => why), 'missing', 'unreadable', 'altered', 'work'])
  expect(Object.keys(BREAKS).filter(why => !tested.has(why))).toEqual([])
})

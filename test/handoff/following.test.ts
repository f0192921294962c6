import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Desk } from '../../client/desk.ts'
import type { OpenHandoffs } from '../../client/handoffs-watch.ts'
import { SelfsameError } from '../../client/index.ts'
import type { Work } from '../../client/work.ts'
import { strictDesk } from '../../model/sample/strict-desk.ts'
import type { OpenWork } from '../../model/wire/handoff.ts'
import { start } from '../../server/service.ts'
import { World } from '../server/support/world.ts'
import { deskOf } from './desk.ts'

const CAST = [
  ['sue', 'supervisor'],
  ['tom', 'triage'],
  ['ben', 'billing'],
  ['bob', 'billing'],
] as const

/** What stands in a list, in an order of its own; leases are not told. */
const standing = ({ offers, handoffs }: Awaited<ReturnType<Desk['handoffs']>> | OpenHandoffs) => ({
  offers: offers.map(({ id, attempt, needs }) => JSON.stringify([id, attempt, needs])).sort(),
  handoffs: handoffs.map(each => JSON.stringify({ ...each, lease: null })).sort(),
})

/** A desk, what it follows and what it holds. */
class Watcher {
  readonly desk: Desk
  readonly works: Work[] = []
  told: OpenHandoffs = { offers: [], handoffs: [] }
  times = 0

  constructor(desk: Desk) {
    this.desk = desk
    desk.watchHandoffs(open => {
      this.told = open
      this.times++
    })
  }

  async act(kind: number, pick: number, user: string): Promise<void> {
    const work = this.works[pick % Math.max(1, this.works.length)]
    const offer = this.told.offers[pick % Math.max(1, this.told.offers.length)]
    const to = this.desk.schema.role.handsTo[pick % this.desk.schema.role.handsTo.length] ?? 'human'
    if (kind === 0) this.works.push(await this.desk.user(user).start({ intent: 'Help' }))
    if (kind === 1) await work?.handoff({ to, reason: 'yours' })
    if (kind === 2 && offer) this.works.push(await offer.accept())
    if (kind === 3) await offer?.decline('busy')
    if (kind === 4) await work?.complete()
    if (kind === 5) await work?.return('not mine')
    if (kind === 6) await work?.thread({ goal: `goal ${pick}` })
    if (kind === 7 && work) await this.desk.handoff(work.id).revoke('stop')
  }
}

const act = fc.record({ who: fc.nat(3), kind: fc.nat(7), pick: fc.nat(20), user: fc.constantFrom('u_1', 'u_2') })

test('[CON-14] whatever happens to handoffs, what a watch adds up to is what the list would answer, for every role', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 30 }), async acts => {
      const world = await World.start({ schema: strictDesk })
      const cast = await Promise.all(CAST.map(async ([agent, role]) => new Watcher(await deskOf(world, agent, role))))
      for (const { who, kind, pick, user } of acts)
        await cast[who]?.act(kind, pick, user).catch((error: unknown) => {
          if (!(error instanceof SelfsameError)) throw error
        })
      for (const watcher of cast)
        await expect
          .poll(
            async () =>
              JSON.stringify(standing(watcher.told)) === JSON.stringify(standing(await watcher.desk.handoffs())),
          )
          .toBe(true)
      await Promise.all(cast.map(({ desk }) => desk.close({ within: 0 })))
      await world.stop()
    }),
    { numRuns: 6 },
  )
}, 60_000)

test('[CON-14] who reaches only what it is assigned is told of nothing else, not even that there is something', async () => {
  const world = await World.start({ schema: strictDesk })
  const sue = await deskOf(world, 'sue', 'supervisor')
  const socket = await world.socket('ben', 'billing')
  await socket.ask('watchHandoffs', {})
  const work = await sue.user('u_canary').start({ intent: 'canary words' })
  await work.thread({ goal: 'canary goal' })
  const handoff = await work.handoff({ to: 'tech', reason: 'canary reason' })
  await handoff.revoke('canary why')
  const mine = await work.handoff({ to: { role: 'billing', agent: 'ben' }, reason: 'yours' })
  await expect.poll(() => socket.texts.filter(text => text.includes(`"offers":{"${mine.id}"`)).length).toBe(1)
  expect(socket.texts.join()).not.toContain('canary')
  expect(socket.texts.join()).not.toContain(handoff.id)
})

test('[CON-15] many changes are told together, and a connection follows a bounded number of lists', async () => {
  const world = await World.start({ limits: { listsPerConnection: 2 } })
  const watcher = new Watcher(await deskOf(world, 'sue', 'supervisor'))
  const tom = await deskOf(world, 'tom', 'triage')
  await expect.poll(() => watcher.times).toBe(1)
  const works = await Promise.all(Array.from({ length: 60 }, (_, i) => tom.user(`u_${i}`).start({ intent: 'Help' })))
  await expect.poll(() => watcher.told.handoffs.length).toBe(60)
  expect(watcher.times).toBeLessThan(30)
  const times = watcher.times
  await Promise.all(works.map(work => work.renew()))
  await works[0]?.complete()
  await expect.poll(() => watcher.told.handoffs.length).toBe(59)
  expect(watcher.times).toBe(times + 1)
  watcher.desk.watchHandoffs(() => undefined, { state: 'parked' })
  const socket = await world.socket('ann', 'human')
  for (const _ of [1, 2]) await socket.ask('watchHandoffs', {})
  expect(await socket.ask('watchHandoffs', {})).toMatchObject({ error: { code: 'overloaded' } })
})

test('[CON-15] a list goes on after the connection was lost, with what happened meanwhile', async () => {
  const data = mkdtempSync(join(tmpdir(), 'selfsame-following-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const first = await start({ port: 0, data })
  const port = Number(new URL(first.url).port)
  const watcher = new Watcher(await deskOf(first, 'ann', 'human'))
  const tom = await deskOf(first, 'tom', 'triage')
  const work = await tom.user('u_1').start({ intent: 'Help' })
  const handoff = await work.handoff({ to: 'human', reason: 'yours' })
  await expect.poll(() => watcher.told.offers.map(({ id }) => id)).toEqual([handoff.id])
  const request = watcher.told.offers[0]?.request
  await first.close()
  const second = await start({ port, data })
  onTestFinished(() => second.close())
  const next = await tom.user('u_2').start({ intent: 'Help' })
  await expect.poll(() => watcher.told.handoffs.some(({ id }) => id === next.id), { timeout: 10_000 }).toBe(true)
  expect(watcher.told.offers.map(offer => [offer.id, offer.request])).toEqual([[handoff.id, request]])
}, 30_000)

test('[CON-16] the work of a user is told as it changes, as far as it may be read, and ends with the reach', async () => {
  const world = await World.start({ schema: strictDesk })
  const sue = await deskOf(world, 'sue', 'supervisor')
  const ben = await deskOf(world, 'ben', 'billing')
  const work = await sue.user('u_1').start({ intent: 'Help' })
  await work.note({ text: 'canary', fields: ['emotion.state'] })
  const handoff = await work.handoff({ to: 'billing', reason: 'yours' })
  await expect.poll(async () => (await ben.offers()).length).toBe(1)
  const taken = await (await ben.offers())[0]?.accept()
  let seen: readonly OpenWork[] = []
  let told: readonly OpenWork[] = []
  const ended = new Promise(resolve =>
    ben.user('u_1').watchWork(
      works => {
        told = works
      },
      { onError: resolve },
    ),
  )
  sue.user('u_1').watchWork(works => {
    seen = works
  })
  await taken?.thread({ goal: 'open goal' })
  await expect.poll(() => told[0]?.threads.map(({ goal }) => goal)).toEqual(['open goal'])
  await expect.poll(() => seen[0]?.threads.map(({ goal }) => goal)).toEqual(['open goal'])
  expect([JSON.stringify(seen).includes('canary'), JSON.stringify(told).includes('canary')]).toEqual([true, false])
  expect(told).toEqual(await ben.user('u_1').works())
  await handoff.revoke('stop')
  expect(await ended).toMatchObject({ code: 'user_unavailable' })
  await expect.poll(() => seen[0]?.handoffs.find(({ id }) => id === handoff.id)?.state).toBe('parked')
})

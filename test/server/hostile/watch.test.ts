import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { Peer } from './peer.ts'

test('[HOST-8] of two watches with one id the second is refused, also while the first is being set up', async () => {
  const server = await Serving.limited({})
  const peer = await Peer.connect(server, 'bot')
  const answers: unknown[] = []
  const both = new Promise<void>(resolve => {
    peer.socket.on('message', data => {
      if (answers.push(JSON.parse(String(data))) === 2) resolve()
    })
  })
  const request = JSON.stringify({ id: 7, op: 'watch', user: 'u_1', fields: ['**'] })
  peer.socket.send(request)
  peer.socket.send(request)
  await both
  expect(answers).toContainEqual(expect.objectContaining({ id: 7, ok: expect.objectContaining({ user: 'u_1' }) }))
  expect(answers).toContainEqual({ id: 7, error: expect.objectContaining({ code: 'bad_request' }) })
})

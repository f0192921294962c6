import { connect } from '../../client/index.ts'
import { pick, randomFrom } from '../random.ts'
import { said, type Task } from './load.ts'

/** A process that writes at an even pace until told to stop, and then tells how many writes were acknowledged. */

const TICK_MS = 5

async function write({ url, token, load, perSecond }: Task): Promise<void> {
  const desk = await connect({ url, token })
  const random = randomFrom(7)
  const pending = new Set<Promise<unknown>>()
  const started = performance.now()
  let sent = 0
  let acknowledged = 0
  const one = () => {
    const field = pick(random, load.fields)
    const observation = { field, value: said(field, random), confidence: 0.8 }
    const written = desk.user(pick(random, load.users)).observe([observation], { interaction: `live-${sent++}` })
    pending.add(written)
    written.then(() => acknowledged++).finally(() => pending.delete(written))
  }
  const timer = setInterval(() => {
    while (sent < ((performance.now() - started) / 1000) * perSecond) one()
  }, TICK_MS)
  process.send?.('writing')
  process.once('message', async () => {
    clearInterval(timer)
    await Promise.all(pending)
    await desk.close()
    process.send?.(acknowledged)
    process.disconnect()
  })
}

process.once('message', (task: Task) => {
  write(task)
})

// A server with the limits of the second argument over the data of the first. Asked `lag` on its standard input, it
// tells how late its event loop has been since it was last asked, as the 99th percentile in milliseconds. The time in
// which the machine let the process wait for a processor is the machine's doing and does not count.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { start } from 'selfsame/server'

const EVERY = 5

const [data, limits] = process.argv.slice(2)
const service = await start({ port: 0, data, limits: JSON.parse(limits) })
console.log(`listening on ${service.url}`)

/** Milliseconds that this thread was ready to run and was not let, where the system tells. */
function waited() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

let lags = []
let last = { time: performance.now(), waited: waited() }
setInterval(() => {
  const now = { time: performance.now(), waited: waited() }
  lags.push(Math.max(0, now.time - last.time - EVERY - (now.waited - last.waited)))
  last = now
}, EVERY)

createInterface(process.stdin).on('line', () => {
  const sorted = lags.sort((a, b) => a - b)
  console.log(`lag ${sorted[Math.ceil(sorted.length * 0.99) - 1]} of ${sorted.length}`)
  lags = []
})

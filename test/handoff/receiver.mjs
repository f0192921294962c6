// One receiver of broadcasts in a process of its own. It accepts, acts by one observation under an id of its own, and
// completes. At the place it is told of it dies, unless its process is the second of its name.
import { connect } from 'selfsame/client'

const { url, token, dies } = JSON.parse(process.argv[2])

const desk = await connect({ url, token, timeout: 60_000 })
desk.onOffer(async offer => {
  const work = await offer.accept({ lease: dies === 'never' ? 30_000 : 2_000 })
  at('accepted')
  await work.user.observe([{ field: 'need.issue', value: `by-${desk.agent}`, id: `${work.id}-act` }])
  at('acted')
  await work.complete({ by: desk.agent })
  console.log(`done ${work.id}`)
  at('done')
})
console.log('ready')

function at(place) {
  if (place === dies) process.kill(process.pid, 'SIGKILL')
}

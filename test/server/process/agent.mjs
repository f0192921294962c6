// An agent in a process of its own, which says one thing after another of some users until it is told to finish, and
// tells what became of each: `ack USER ID` once it is durable, `seen USER ID` once a watch has shown it. With an outbox
// file it first settles what an earlier process left: `late USER ID`.
import { createInterface } from 'node:readline'
import { connect } from 'selfsame/client'
import { fileOutbox } from 'selfsame/client/node'

const LANES = 8

const { url, token, name, users, outbox, most = Number.POSITIVE_INFINITY } = JSON.parse(process.argv[2])
let isFinishing = most === 0
let made = 0

const desk = await connect({
  url,
  token,
  ...(outbox && { outbox: fileOutbox(outbox) }),
  onSettled: ({ user, entry, result }) =>
    tell(user, entry.observations[0].id, result instanceof Error ? result : 'late'),
})
const handles = users.map(user => desk.user(user))
for (const user of handles)
  user.watch(['need.issue'], ({ beliefs }) => tell(user.id, beliefs['need.issue']?.value, 'seen'))
console.log('ready')

const lanes = Array.from({ length: LANES }, lane)
for await (const _ of createInterface(process.stdin)) {
  isFinishing = true
  break
}
await Promise.all(lanes)
for (const user of handles) console.log(`model ${JSON.stringify(await user.model())}`)
await desk.close({ within: 30_000 })
console.log('settled')
process.exit(0)

async function lane() {
  while (!isFinishing && made < most) {
    made += 1
    const id = `${name}-${made}`
    const user = handles[made % handles.length]
    try {
      await user.observe([{ field: 'need.issue', value: id, id, source: id, interaction: id }])
      tell(user.id, id, 'ack')
    } catch (error) {
      tell(user.id, id, error)
    }
  }
  console.log('lane done')
}

function tell(user, id, what) {
  console.log(what instanceof Error ? `failed ${user} ${id} ${what.message}` : `${what} ${user} ${id}`)
}

// An agent of one role in a process of its own. It takes whatever is offered to it, works in steps with a checkpoint after
// each, and hands on to the next role, or completes. It starts work for the users that it is told of. At the place that a user's id names it dies, once: `u_billing-step`.
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from 'selfsame/client'

const { url, token, role, next, marks, lease } = JSON.parse(process.argv[2])
const STEPS = ['look', 'decide']

const desk = await connect({ url, token, timeout: 60_000 })
desk.onOffer(offer => carry(offer.accept({ lease })))
createInterface(process.stdin).on('line', user => {
  carry(desk.user(user).start({ intent: `The words of ${user}`, lease }))
})
console.log('ready')

async function carry(taking) {
  try {
    await hold(await taking)
  } catch (error) {
    console.log(`refused ${error.code ?? error.message}`)
  }
}

async function hold(work) {
  const user = work.user.id
  at(user, 'accepted')
  const { checkpoint } = work.delivery
  const done = checkpoint?.state?.role === role ? checkpoint.state.done : []
  for (const step of STEPS.filter(step => !done.includes(step))) {
    await work.user.observe([{ field: 'need.issue', value: `${role}-${step}`, id: `${user}-${role}-${step}` }])
    done.push(step)
    await work.checkpoint({
      state: { role, done },
      decisions: [{ id: `${role}-${step}`, what: `${role} did ${step}`, why: `because of ${step}` }],
    })
    at(user, step)
  }
  if (next) await pass(work, user)
  else await finish(work, user)
}

async function pass(work, user) {
  const reason = `${role} is done`
  const handoff = await work.handoff({ to: next, reason, constraints: [`rule of ${role}`], acknowledge: 5_000 })
  at(user, 'handed')
  await handoff.accepted()
}

async function finish(work, user) {
  const { narrative, work: state } = work.delivery
  const before = { ...state, history: state.history.filter(({ by }) => by.role !== role) }
  await work.complete({ by: role })
  console.log(`done ${user} ${JSON.stringify({ verified: work.verifies(), narrative, state: before })}`)
}

function at(user, place) {
  console.log(`at ${user} ${role}-${place}`)
  if (user !== `u_${role}-${place}`) return
  try {
    openSync(join(marks, user), 'wx')
  } catch {
    return
  }
  process.kill(process.pid, 'SIGKILL')
}

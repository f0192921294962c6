import { slowLaw } from '../law.ts'
import { schedules } from './network/schedule.ts'
import { Village } from './network/village.ts'

slowLaw(
  '[REP-60] whatever happens in whatever order, all replicas come to believe what the server tells their scope, and the server what it was told',
  2,
  schedules,
  async steps => {
    const village = await Village.found({ writesPerFold: 24, wordsPerFold: 6 })
    await (await village.live(steps)).gather()
    await village.expectAgreement()
    await village.end()
  },
)

import type { Work } from './work.ts'

/** All that whoever took work over needs to go on, as one text; stored text in it is quoted. */
export function briefOf({ id, epoch, narrative, delivery, user }: Work): string {
  const missing = delivery.gaps.filter(({ why }) => why === 'missing').map(({ field }) => field)
  const ask = missing.length > 0 ? `Ask the user only for: ${missing.join(', ')}.` : 'Nothing you need is missing.'
  return `You took over the work ${id}@${epoch} of user ${user.id}. ${ask}\n\n${narrative}`
}

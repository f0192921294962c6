import { defineModel } from '../../model/schema.ts'

/** Open, hidden and secret fields; the subject, someone who answers for the desk, and someone who sees only a part. */
export const guarded = defineModel({
  name: 'guarded',
  fields: {
    'open.mood': { kind: 'choice', values: ['calm', 'angry'], halfLife: '30d' },
    'open.note': { kind: 'text', halfLife: '30d' },
    'hidden.note': { kind: 'text', halfLife: '30d' },
    'secret.pin': { kind: 'text', halfLife: '30d', sensitivity: 'secret' },
  },
  roles: {
    bot: { reach: 'all', read: ['open.**'], write: ['open.**'], handsTo: ['worker'] },
    vault: { reach: 'all', read: ['**'], write: ['**'] },
    worker: { reach: 'assigned', read: ['open.**'], write: ['open.**'], handsTo: ['bot'] },
    chief: {
      reach: 'all',
      authority: 'human',
      read: ['**'],
      write: ['**'],
      actions: ['audit', 'erase', 'join', 'revoke'],
    },
    clerk: { reach: 'all', authority: 'human', read: ['open.**'], write: ['open.**'], actions: ['audit'] },
    judge: {
      reach: 'all',
      authority: 'human',
      read: ['**', '!hidden.**'],
      write: ['open.**'],
      actions: ['view_as', 'audit'],
    },
    subject: { reach: 'self', authority: 'subject', read: ['**'], write: ['open.**'] },
  },
})

import { defineModel } from '../../../model/schema.ts'

/** A model with fields that one role can't see at all, with every kind of reach, and with someone who may revoke. */
export const vault = defineModel({
  name: 'two rooms',
  fields: {
    'open.mood': { kind: 'choice', values: ['calm', 'angry', 'sad'], halfLife: '1d' },
    'open.note': { kind: 'text', halfLife: '7d' },
    'open.tags': { kind: 'set', halfLife: '30d' },
    'open.sum': { kind: 'number', halfLife: '7d', tolerance: 1 },
    'open.day': { kind: 'choice', halfLife: '7d', binding: 'task' },
    'vault.*.note': { kind: 'text', halfLife: '7d' },
    'vault.*.mark': { kind: 'choice', halfLife: '7d' },
    'vault.*.kinds': { kind: 'set', halfLife: '30d' },
  },
  roles: {
    reader: { reach: 'all', read: ['open.**'], write: ['open.**'], needs: ['open.mood'] },
    clerk: { reach: 'all', read: ['open.mood'], write: ['open.note'] },
    keeper: { reach: 'all', read: ['**'], write: ['**'] },
    warden: { reach: 'all', read: ['**'], write: ['**'], actions: ['revoke'] },
    person: { reach: 'all', authority: 'human', read: ['**'], write: ['**'], trust: 0.9 },
    subject: { reach: 'self', authority: 'subject', read: ['open.**'], write: ['open.**'] },
    runner: { reach: 'assigned', read: ['open.**'], write: ['open.**'] },
  },
})

import { defineModel, type Schema } from '../schema.ts'
import { desk } from './desk.ts'

const assigned = { reach: 'assigned' } as const
const { triage, billing, tech, human, supervisor, subject } = desk.definition.roles

/** The same desk where agents see only the users that were handed to them, and start with less than full trust. */
export const strictDesk: Schema = defineModel({
  ...desk.definition,
  name: 'strict support desk',
  roles: {
    triage: { ...triage, ...assigned, trust: 0.8 },
    billing: { ...billing, ...assigned, trust: 0.8 },
    tech: { ...tech, ...assigned, trust: 0.8 },
    human: { ...human, ...assigned },
    supervisor,
    subject,
  },
})

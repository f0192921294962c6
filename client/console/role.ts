import type { Desk } from '../index.ts'

/** Whether it is the person the model is about who is signed in: there is nobody else for them to see. */
export const isSubject = ({ schema }: Desk): boolean => schema.role.authority === 'subject'

export const may = ({ schema }: Desk, action: string): boolean => schema.role.actions.includes(action)

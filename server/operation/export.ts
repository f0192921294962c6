import { SelfsameError } from '../../model/error.ts'
import type { ExportAnswer, ExportedPage } from '../../model/wire/export.ts'
import type { Session } from '../access/session.ts'
import { gather, papersOf } from '../export/gather.ts'
import { pageOf } from '../export/page.ts'
import { aliases } from './alias.ts'
import { mayAudit, trailSeen } from './audit.ts'
import type { Desk } from './desk.ts'
import type { ExportRequest } from './request.ts'

/** Papers, and entries of the audit, that an export over the network holds for each name. */
const MOST = 2_000

/**
 * Everything, as it stands. Only for who may read every field, as evidence tells more than beliefs do. Of work and of the
 * audit, what concerns the user is told to the user and to a role with the action `audit`.
 */
export async function exportUser(desk: Desk, session: Session, user: string): Promise<ExportAnswer> {
  const scope = desk.scope(session, user)
  for (const field of desk.house.schema.fields.keys())
    if (scope.read.coverage(field) !== 'all')
      throw new SelfsameError({ code: 'forbidden', message: 'Only a role that may read every field can export.' })
  const { archive, journal } = desk.house
  const fields = await desk.in(session, user, room => [...room.model.fields].map(({ name }) => name))
  journal.did(session, user, 'export', { fields })
  await journal.showedFields(session, user, 'export', fields)
  if (mayAudit(session)) await journal.flush()
  return gather(user, {
    evidenceOf: name => desk.rooms.with(name, room => [...room.own.evidence]),
    aliases: aliases(desk, session, user).aliases,
    ...(mayAudit(session) && { papersOf: papersOf(archive), auditOf: name => trailSeen(desk, name, scope) }),
    most: MOST,
  })
}

/** The same for a person to read. */
export const exportPage = async (desk: Desk, session: Session, user: string): Promise<ExportedPage> => ({
  user,
  text: pageOf(await exportUser(desk, session, user)),
})

export const exported = (desk: Desk, session: Session, { user, format }: ExportRequest) =>
  format === 'markdown' ? exportPage(desk, session, user) : exportUser(desk, session, user)

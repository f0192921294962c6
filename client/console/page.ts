import type { FunctionComponent } from 'preact'
import type { Desk, Work } from '../index.ts'
import { AuditPage } from './audit-page.tsx'
import { BriefPage } from './brief-page.tsx'
import { HealthPage } from './health-page.tsx'
import { History } from './history.tsx'
import { Inbox } from './inbox.tsx'
import type { Person } from './person.ts'
import { isSubject, may } from './role.ts'
import { WorkPage } from './work-page.tsx'

/** A page of the console, at `/console/` and its path. */
export interface Page {
  readonly path: string
  readonly title: string
  readonly view: FunctionComponent<{ readonly desk: Desk }>
  /** Who is shown the way to it; everyone, if nothing is said. */
  readonly isFor?: (desk: Desk) => boolean
}

/** The first is where one arrives. */
export const PAGES: readonly Page[] = [
  { path: '', title: 'Inbox', view: Inbox, isFor: desk => !isSubject(desk) },
  { path: 'health', title: 'Health', view: HealthPage, isFor: desk => desk.schema.role.authority === 'human' },
]

export interface TabProps {
  readonly desk: Desk
  readonly person: Person
  readonly mine: Work | undefined
}

/** What there is of one person, at the path of that person and its own. The first is the person's own page. */
export interface Tab {
  readonly path: string
  readonly title: string
  readonly view: FunctionComponent<TabProps>
  /** Who is shown the way to it; everyone, if nothing is said. */
  readonly isFor?: (desk: Desk) => boolean
}

export const TABS: readonly Tab[] = [
  { path: 'brief', title: 'Brief', view: BriefPage },
  { path: 'work', title: 'Work', view: WorkPage, isFor: desk => !isSubject(desk) },
  { path: 'history', title: 'History', view: History },
  { path: 'audit', title: 'Audit', view: AuditPage, isFor: desk => isSubject(desk) || may(desk, 'audit') },
]

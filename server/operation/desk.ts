import { SelfsameError, unwrap } from '../../model/error.ts'
import type { Role } from '../../model/role.ts'
import type { Scope } from '../../model/scope.ts'
import { type SchemaSeen, schemaSeen } from '../../model/wire/schema-seen.ts'
import type { Under } from '../access/authority.ts'
import type { Gate } from '../access/gate.ts'
import type { Session } from '../access/session.ts'
import type { Keeper } from '../handoff/keeper.ts'
import type { Quality } from '../quality/quality.ts'
import type { House } from '../room/house.ts'
import type { Room } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Versions } from '../room/version.ts'

/** What every operation works with. */
export class Desk {
  readonly house: House
  readonly rooms: Rooms
  readonly versions: Versions
  readonly gate: Gate
  readonly keeper: Keeper
  readonly quality: Quality
  readonly #seen = new Map<Role, SchemaSeen>()

  constructor(house: House, rooms: Rooms, versions: Versions, gate: Gate, keeper: Keeper, quality: Quality) {
    this.house = house
    this.rooms = rooms
    this.versions = versions
    this.gate = gate
    this.keeper = keeper
    this.quality = quality
  }

  /** The room of a user whom the session may reach. Whether it may is decided before anything is looked up. */
  async in<T>(session: Session, user: string, work: (room: Room, scope: Scope) => T | Promise<T>): Promise<T> {
    this.scope(session, user)
    return this.rooms.with(user, room => {
      const scope = this.scope(session, user)
      room.requireCurrent(scope)
      return work(room, scope)
    })
  }

  scope(session: Session, user: string, under?: Under): Scope {
    return unwrap(this.house.authority.scope(session, user, under))
  }

  /** The account that a user is another name of, for who reaches every account; for others the name stands for itself. */
  personOf({ role }: Session, user: string): string {
    return (role.reach === 'all' ? this.house.aliases.accountOf(user) : undefined) ?? user
  }

  /** A user and, for who reaches it, the names joined to it. */
  namesOf(user: string): readonly string[] {
    return [user, ...this.house.aliases.of(user).map(({ alias }) => alias)]
  }

  version(room: Room, seq: number): string {
    return this.versions.seal(room.user, { epoch: room.head.epoch, joins: room.joins, seq })
  }

  /** Waits until the room holds a version, for a bounded time. */
  async reached(room: Room, version: string | undefined): Promise<void> {
    if (version === undefined) return
    const asked = this.versions.open(room.user, version)
    if (!asked) throw new SelfsameError({ code: 'bad_request', message: '`atLeast` is not a version of this user.' })
    const { versionDeadline } = this.house.limits
    // Names that were joined or parted since then: what the version stood for is long past.
    if (asked.epoch === room.head.epoch && asked.joins < room.joins) return
    const isHere = asked.epoch === room.head.epoch && asked.joins === room.joins
    if (!isHere || !(await room.reached(asked.seq, versionDeadline)))
      throw new SelfsameError({ code: 'not_yet', message: `That version did not arrive within ${versionDeadline} ms.` })
  }

  schemaFor(role: Role): SchemaSeen {
    const seen = this.#seen.get(role) ?? schemaSeen(this.house.schema, role)
    this.#seen.set(role, seen)
    return seen
  }
}

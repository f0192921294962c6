import { LRUCache } from 'lru-cache'
import type { House } from './house.ts'
import { Room } from './room.ts'

interface Held {
  readonly room: Promise<Room>
  holders: number
}

interface Leaving {
  readonly room: Room
  readonly written: Promise<void>
}

/**
 * The rooms of all users that matter now. A room that someone holds is never dropped, so there is at most one of each
 * user; those that nobody holds are kept at hand as far as memory allows.
 */
export class Rooms {
  readonly #house: House
  readonly #held = new Map<string, Held>()
  readonly #idle: LRUCache<string, Room>
  /** Rooms that are being left but have not written everything down: who comes back meanwhile finds the same one. */
  readonly #leaving = new Map<string, Leaving>()

  constructor(house: House) {
    this.#house = house
    this.#idle = new LRUCache({
      maxSize: house.limits.idleRoomBytes,
      sizeCalculation: room => Math.max(1, room.bytes),
      dispose: (room, user, reason) => {
        if (reason === 'evict') this.#leave(user, room)
      },
    })
  }

  get size(): number {
    return this.#held.size + this.#idle.size + this.#leaving.size
  }

  /** Does something in a user's room, which stays in place meanwhile. */
  async with<T>(user: string, work: (room: Room) => T | Promise<T>): Promise<T> {
    const { room, release } = await this.hold(user)
    try {
      return await work(room)
    } finally {
      release()
    }
  }

  async hold(user: string): Promise<{ readonly room: Room; readonly release: () => void }> {
    const held = this.#held.get(user) ?? this.#enter(user)
    held.holders++
    try {
      const room = await held.room
      await room.renew()
      let released = false
      const release = () => {
        if (!released) this.#release(user, held, room)
        released = true
      }
      return { room, release }
    } catch (error) {
      if (--held.holders === 0) this.#held.delete(user)
      throw error
    }
  }

  /** The same with the room's document, for replicas. */
  async holdDocument(user: string): Promise<{ readonly room: Room; readonly release: () => void }> {
    const { room, release } = await this.hold(user)
    try {
      const letGo = await room.keepDocument()
      const both = () => {
        letGo()
        release()
      }
      return { room, release: both }
    } catch (error) {
      release()
      throw error
    }
  }

  #enter(user: string): Held {
    const idle = this.#idle.get(user) ?? this.#leaving.get(user)?.room
    this.#idle.delete(user)
    this.#leaving.delete(user)
    const held = { room: idle ? Promise.resolve(idle) : this.#load(user), holders: 0 }
    this.#held.set(user, held)
    return held
  }

  /** With what is known under the other names of the user, whose rooms it holds for as long as it is there. */
  async #load(user: string): Promise<Room> {
    const room = await Room.load(user, this.#house)
    for (const { alias } of this.#house.aliases.of(user)) {
      const other = await this.hold(alias)
      await room.join(other.room, other.release)
    }
    return room
  }

  /** Ends the room of a user. Who comes next finds another one. */
  async erase(user: string, work: () => Promise<void>): Promise<void> {
    const { room, release } = await this.hold(user)
    try {
      await room.end(work)
    } finally {
      if (room.isOver) this.#held.delete(user)
      release()
    }
  }

  #release(user: string, held: Held, room: Room): void {
    if (--held.holders > 0) return
    if (this.#held.get(user) === held) this.#held.delete(user)
    if (room.isOver) room.leave()
    else if (room.bytes > this.#idle.maxSize) this.#leave(user, room)
    else this.#idle.set(user, room)
  }

  #leave(user: string, room: Room): void {
    const leaving = { room, written: room.settle().catch(this.#house.onFault) }
    this.#leaving.set(user, leaving)
    leaving.written.then(() => {
      if (this.#leaving.get(user) !== leaving) return
      this.#leaving.delete(user)
      room.leave()
    })
  }

  /** Settles when every user that someone is working on is understood under the schema in force; others are when needed. */
  async renew(): Promise<void> {
    for (const { room } of [...this.#held.values()]) await room.then(each => each.renew())
  }

  /** Writes down what is only in memory; to be called when nothing is being written any more. */
  async close(): Promise<void> {
    const held = await Promise.all([...this.#held.values()].map(each => each.room))
    for (const room of [...held, ...this.#idle.values()]) await room.settle()
    for (const { written } of this.#leaving.values()) await written
    this.#idle.clear()
  }

  /** Notes of idle rooms, now and then, so that little is lost in a crash. */
  async note(): Promise<void> {
    for (const room of this.#idle.values()) await room.settle().catch(this.#house.onFault)
  }
}

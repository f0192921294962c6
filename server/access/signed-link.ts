import { errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { isId } from '../../model/name.ts'
import { isPerson } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'

/** Who comes by a link. */
export interface Guest {
  readonly agent: string
  readonly role: string
}

const AUDIENCE = 'selfsame-link'
const LONGEST = 15 * 60_000
const MAX_USED = 10_000
const SECOND = 1_000
const CLOCK_TOLERANCE = '5s'

const claims = z.object({
  sub: z.string().refine(isId),
  jti: z.string().min(1).max(128),
  iat: z.number(),
  exp: z.number(),
  role: z.string(),
})

/**
 * Codes that a help desk signs by itself, for people of its own, so that it need not ask for each. They are JWTs by a secret of
 * their own: no token of the API is a link and no link is a token. Which were used is known in memory until they end, so
 * those of before this start are refused.
 */
export class SignedLinks {
  readonly #secret: Uint8Array
  readonly #schema: () => Schema
  readonly #now: () => number
  readonly #started: number
  /** Until when, by id. */
  readonly #used = new Map<string, number>()

  constructor(secret: Uint8Array, schema: () => Schema, now: () => number) {
    this.#secret = secret
    this.#schema = schema
    this.#now = now
    this.#started = now()
  }

  /** Once each: undefined for whatever is no good, or no longer. */
  async take(code: string): Promise<Guest | undefined> {
    const read = await this.#read(code)
    if (!read) return undefined
    const { sub, role, jti, iat, exp } = read
    const [issued, until] = [iat * SECOND, exp * SECOND]
    const known = this.#schema().roles.get(role)
    if (!known || !isPerson(known) || until - issued > LONGEST || issued <= this.#started - SECOND) return undefined
    return this.#use(jti, until) ? { agent: sub, role } : undefined
  }

  /** What is used is forgotten only when it has ended: where there is no more room, nothing more is taken. */
  #use(jti: string, until: number): boolean {
    const now = this.#now()
    if (this.#used.size >= MAX_USED) for (const [id, end] of this.#used) if (end + LONGEST < now) this.#used.delete(id)
    if (this.#used.has(jti) || this.#used.size >= MAX_USED) return false
    this.#used.set(jti, until)
    return true
  }

  async #read(code: string): Promise<z.infer<typeof claims> | undefined> {
    try {
      const { payload } = await jwtVerify(code, this.#secret, {
        algorithms: ['HS256'],
        audience: AUDIENCE,
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: new Date(this.#now()),
      })
      return claims.safeParse(payload).data
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

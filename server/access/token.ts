import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { SelfsameError } from '../../model/error.ts'
import { isId } from '../../model/name.ts'
import type { Schema } from '../../model/schema.ts'
import { type Session, sessionOf } from './session.ts'

/** Where tokens come from: a secret of our own, or an identity provider that publishes its keys. */
export type Issuer = { readonly secret: Uint8Array } | { readonly keys: URL; readonly audience: string | undefined }

const SECRET_BYTES = 32
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const CLOCK_TOLERANCE = '5s'

/** The local secret, made on first use and readable by its owner only. */
export function localSecret(file: string): Uint8Array {
  if (!existsSync(file)) writeFileSync(file, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600, flag: 'wx' })
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
  if (secret.length !== SECRET_BYTES)
    throw new Error(
      `${file} does not hold a secret of ${SECRET_BYTES} bytes in hexadecimal. Delete it to make a new one.`,
    )
  return secret
}

export interface TokenRequest {
  readonly agent: string
  readonly role: string
  /** Milliseconds until it ends. */
  readonly ttl: number
  readonly now: number
}

export const mintToken = (secret: Uint8Array, { agent, role, ttl, now }: TokenRequest): Promise<string> =>
  new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(agent)
    .setJti(randomUUID())
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.ceil((now + ttl) / 1000))
    .sign(secret)

/** Turns a token into a session; undefined for one that is not valid at the time. */
export type Verify = (token: string, now: number) => Promise<Session | undefined>

export function verifierOf(issuer: Issuer, schemaNow: () => Schema): Verify {
  const check = checkOf(issuer)
  return async (token, now) => {
    try {
      return toSession(schemaNow, (await check(token, new Date(now))).payload)
    } catch (error) {
      if (isOfTheToken(error)) return undefined
      throw new SelfsameError({
        code: 'overloaded',
        message: 'Tokens can not be checked now: the keys of the identity provider are out of reach.',
      })
    }
  }
}

/** Whether the token is at fault, and not the way to the keys that it must be checked with. */
const isOfTheToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === errors.JOSEError.code)

function checkOf(issuer: Issuer): (token: string, currentDate: Date) => Promise<{ payload: JWTPayload }> {
  const required = { requiredClaims: ['sub', 'exp', 'jti'], clockTolerance: CLOCK_TOLERANCE }
  if ('secret' in issuer)
    return (token, currentDate) => jwtVerify(token, issuer.secret, { ...required, currentDate, algorithms: ['HS256'] })
  const keys = createRemoteJWKSet(issuer.keys)
  const audience = issuer.audience === undefined ? {} : { audience: issuer.audience }
  return (token, currentDate) =>
    jwtVerify(token, keys, { ...required, ...audience, currentDate, algorithms: ALGORITHMS })
}

const claims = z.object({
  sub: z.string().refine(isId),
  jti: z.string().min(1).max(128),
  exp: z.number(),
  iat: z.number().default(0),
  role: z.string(),
})

function toSession(schemaNow: () => Schema, payload: JWTPayload): Session | undefined {
  const parsed = claims.safeParse(payload)
  const role = parsed.success ? schemaNow().roles.get(parsed.data.role) : undefined
  if (!parsed.success || !role) return undefined
  const { sub, jti, iat, exp } = parsed.data
  return sessionOf(sub, role, { tokenId: jti, issued: iat * 1000, expires: exp * 1000 })
}

/**
 * Author ids: [2³², 2⁵²) for fields, [2⁵², 2⁵³) for the receipts of one connection. What Yjs picks for clients lies below
 * 2³², so nobody's own writes can be taken for the server's.
 */
const FIELDS_FROM = 2 ** 32
const RECEIPTS_FROM = 2 ** 52
const RECEIPTS_TO = 2 ** 53

/** From 64 random or pseudo-random bits. */
export const fieldAuthor = (bits: bigint): number => FIELDS_FROM + Number(bits % BigInt(RECEIPTS_FROM - FIELDS_FROM))

export const receiptsAuthor = (bits: bigint): number =>
  RECEIPTS_FROM + Number(bits % BigInt(RECEIPTS_TO - RECEIPTS_FROM))

export const isClient = (id: number): boolean => id < FIELDS_FROM

export const isReceipts = (id: number): boolean => id >= RECEIPTS_FROM

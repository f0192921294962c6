import { type Code, SelfsameError } from '../model/error.ts'

/** A refusal of this side's own. */
export const refusal = (code: Code, message: string): SelfsameError => new SelfsameError({ code, message })

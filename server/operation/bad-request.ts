import { SelfsameError } from '../../model/error.ts'

export const badRequest = (message: string): SelfsameError => new SelfsameError({ code: 'bad_request', message })

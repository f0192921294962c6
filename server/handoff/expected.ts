import { z } from 'zod'
import { detailsOf } from '../../model/definition.ts'
import { SelfsameError } from '../../model/error.ts'
import type { Json } from '../../model/value.ts'

/** Keywords that make a check take longer than the schema and the result are long. */
const COSTLY = /"(pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef)"\s*:/
const MAX_CHARS = 8_192

/** A result is checked against a schema that an agent wrote, so a schema must be one that can be checked in little time. */
export function requireCheckable(schema: Json): void {
  const text = JSON.stringify(schema)
  if (text.length > MAX_CHARS) throw bad(`at most ${MAX_CHARS} characters`)
  if (COSTLY.test(text)) throw bad('without `pattern`, `patternProperties` and references')
  try {
    validatorOf(schema)
  } catch (error) {
    throw bad(`that can be checked: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What does not fit is not complete. */
export function requireExpected(schema: Json, result: Json): void {
  if (schema === null) return
  const parsed = validatorOf(schema).safeParse(result)
  if (parsed.success) return
  const details = detailsOf(parsed.error)
  const [first] = details
  const message = `The result does not fit what is expected: ${first?.path || 'result'}: ${first?.message}`
  throw new SelfsameError({ code: 'result_unexpected', message, details })
}

const validatorOf = (schema: Json) => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])

const bad = (what: string) =>
  new SelfsameError({ code: 'bad_request', message: `expected: expected a JSON Schema ${what}` })

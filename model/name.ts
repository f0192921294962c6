/** Names of fields and ids of things. Both end up as keys, so neither may be a name that JavaScript gives a meaning. */
const MAX_FIELD_LENGTH = 128
const SEGMENT = '[A-Za-z0-9_-]{1,64}'
const FIELD = new RegExp(`^${SEGMENT}(\\.${SEGMENT}){0,7}$`)
const FAMILY = new RegExp(`^(${SEGMENT}|\\*)(\\.(${SEGMENT}|\\*)){0,7}$`)
const RESERVED = /(^|\.)(__proto__|prototype|constructor)(\.|$)/

export const ID_PATTERN = /^[A-Za-z0-9_.:~-]{1,128}$/

/** `need.issue`, `order.A17.status`: one to eight segments. */
export const isFieldName = (text: string): boolean =>
  text.length <= MAX_FIELD_LENGTH && FIELD.test(text) && !RESERVED.test(text)

/** As a field name, where a segment may also be `*`: `order.*.status`. */
export const isFamilyName = (text: string): boolean =>
  text.length <= MAX_FIELD_LENGTH && FAMILY.test(text) && !RESERVED.test(text)

export const isReserved = (key: string): boolean => RESERVED.test(key)

export const isId = (text: string): boolean => ID_PATTERN.test(text) && !RESERVED.test(text)

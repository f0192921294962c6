/** What `selfsame/server` offers. */
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { type Service, type ServiceOptions, start } from './service.ts'

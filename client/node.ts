/** What `selfsame/client/node` offers beyond `selfsame/client`. */
export { fileOutbox } from './file-outbox.ts'

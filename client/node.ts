/** What `selfsame/client/node` offers beyond `selfsame/client`. */
export { fileOutbox } from './file-outbox.ts'
export { fileReplica } from './replica/file-keep.ts'

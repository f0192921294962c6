import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { browserReplica, connect } from '../../client/index.ts'

const page = { connect, browserReplica, Doc: Y.Doc, WebsocketProvider }

/** What the page of a test has at hand. */
export type AtHand = typeof page

Object.assign(globalThis, { page })

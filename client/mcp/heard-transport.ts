import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/** Stdio, with someone who hears every message that comes in, and word of its end. */
export class HeardTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  readonly ended: Promise<void>
  readonly #inner = new StdioServerTransport()

  constructor(heard: (message: JSONRPCMessage) => void) {
    this.ended = new Promise(resolve => {
      this.#inner.onclose = () => {
        this.onclose?.()
        resolve()
      }
    })
    this.#inner.onerror = error => this.onerror?.(error)
    this.#inner.onmessage = message => {
      heard(message)
      this.onmessage?.(message)
    }
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setInterval } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Serving } from '../process/serving.ts'

const TRICKLE = 40

/** A bare TCP connection, for what no library would send. What it received is kept. */
export class Wire {
  readonly socket: Socket
  readonly closed: Promise<void>
  #received = Buffer.alloc(0)
  readonly #onBytes = new Set<() => void>()

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      this.#received = Buffer.concat([this.#received, bytes])
      for (const look of [...this.#onBytes]) look()
    })
    // Ends its side when the other has ended its own, as any program would.
    socket.on('end', () => socket.end())
    this.closed = new Promise(resolve => {
      socket.once('close', () => resolve())
    })
    onTestFinished(() => {
      socket.destroy()
    })
  }

  static async connect(server: Serving): Promise<Wire> {
    const wire = new Wire(connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }))
    await once(wire.socket, 'connect')
    return wire
  }

  /** Through the handshake of the agent socket, with bytes that follow it in the same packet. */
  static async upgraded(server: Serving, agent: string, behind: Buffer = Buffer.alloc(0)): Promise<Wire> {
    const wire = await Wire.connect(server)
    const head = upgradeHead('/v1/agent', `Authorization: Bearer ${await server.token(agent)}\r\n`)
    wire.socket.write(Buffer.concat([Buffer.from(head), behind]))
    await wire.until(/^HTTP\/1\.1 101 /)
    return wire
  }

  get received(): string {
    return this.#received.toString('latin1')
  }

  /** Settles when what was received matches; rejects when the connection ends before. */
  until(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!pattern.test(this.received)) return
        this.#onBytes.delete(look)
        resolve()
      }
      this.#onBytes.add(look)
      this.closed.then(() => reject(new Error(`Closed after ${JSON.stringify(this.received.slice(-200))}`)))
      look()
    })
  }

  /** Says something again and again until the other side has had enough. */
  async trickle(bytes: string | Buffer): Promise<void> {
    for await (const _ of setInterval(TRICKLE)) {
      if (this.socket.destroyed) return
      this.socket.write(bytes)
    }
  }

  /** The code with which the other side closed, if it did: the close frame is the last thing that was received. */
  get closeCode(): number | undefined {
    const bytes = this.#received
    let at = bytes.indexOf('\r\n\r\n') + 4
    while (at + 2 <= bytes.length) {
      const short = bytes.readUInt8(at + 1) & 0x7f
      const [length, header] = short === 126 ? [bytes.readUInt16BE(at + 2), 4] : [short, 2]
      if ((bytes.readUInt8(at) & 0x0f) === 8) return bytes.readUInt16BE(at + header)
      at += header + length
    }
    return undefined
  }
}

export const upgradeHead = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`

export interface FrameShape {
  readonly opcode?: number
  /** Whether it ends its message. */
  readonly fin?: boolean
  readonly masked?: boolean
  readonly reserved?: number
}

/** One WebSocket frame. Masked with zeros, so that the payload stands as it is. */
export function frame(
  payload: string | Buffer,
  { opcode = 1, fin = true, masked = true, reserved = 0 }: FrameShape = {},
): Buffer {
  const body = Buffer.from(payload)
  const mask = masked ? 0x80 : 0
  const first = (fin ? 0x80 : 0) | reserved | opcode
  const short = Buffer.from([first, mask | Math.min(body.length, 126)])
  const long = Buffer.alloc(2)
  if (body.length >= 126) long.writeUInt16BE(body.length)
  return Buffer.concat([short, body.length < 126 ? Buffer.alloc(0) : long, Buffer.alloc(masked ? 4 : 0), body])
}

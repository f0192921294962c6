import type { Caller, Reply } from './caller.ts'
import type { RawSocket } from './raw-socket.ts'

/** Keeps every byte that reaches one reader, by whatever door. */
export class Recorder {
  readonly #texts: string[] = []

  note(text: string): void {
    this.#texts.push(text)
  }

  listen(caller: Caller): void {
    caller.heard = ({ status, headers, text }: Reply) => this.note(`${status} ${JSON.stringify([...headers])} ${text}`)
  }

  /** To be called once the socket has said all it will. */
  async end(socket: RawSocket): Promise<void> {
    const { code, reason } = await socket.closed
    this.note(`${code} ${reason}`)
    for (const text of socket.texts) this.note(text)
  }

  get size(): number {
    return this.#texts.reduce((total, text) => total + text.length, 0)
  }

  /** What was sent that holds one of these, in whatever case and encoding that JSON or a URL may give it. */
  holding(canaries: readonly string[]): string[] {
    return this.#texts.filter(text => {
      const [plain, decoded] = [text.toLowerCase(), decode(text).toLowerCase()]
      return canaries.some(canary => plain.includes(canary.toLowerCase()) || decoded.includes(canary.toLowerCase()))
    })
  }
}

/** Base64 and percent-encoding undone wherever they could be, one after another. */
function decode(text: string): string {
  const parts = text.match(/[A-Za-z0-9+/_-]{16,}/g) ?? []
  return [
    text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    ...parts.map(unbase),
  ].join('\n')
}

const unbase = (part: string): string => Buffer.from(part, 'base64').toString('latin1')

/** A source of chance that can be had again. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T
  }
}

const MAX_LENGTH = 65_536

type Mutation = (frame: Buffer, chance: Chance, frames: readonly Buffer[]) => Buffer

const flip: Mutation = (frame, chance) => {
  const flipped = Buffer.from(frame)
  for (let left = 1 + chance.below(4); left > 0 && flipped.length > 0; left--) {
    const at = chance.below(flipped.length)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << chance.below(8))
  }
  return flipped
}

const overwrite: Mutation = (frame, chance) => {
  const written = Buffer.from(frame)
  if (written.length > 0)
    written[chance.below(written.length)] = chance.of([0, 1, 10, 0x28, 0x7f, 0x80, 0xff, 117, 118])
  return written
}

const cut: Mutation = (frame, chance) => frame.subarray(0, chance.below(frame.length + 1))

const drop: Mutation = (frame, chance) => {
  const at = chance.below(frame.length + 1)
  return Buffer.concat([frame.subarray(0, at), frame.subarray(at + 1 + chance.below(8))])
}

const splice: Mutation = (frame, chance, frames) => {
  const other = chance.of(frames)
  return Buffer.concat([
    frame.subarray(0, chance.below(frame.length + 1)),
    other.subarray(chance.below(other.length + 1)),
  ])
}

const repeat: Mutation = (frame, chance) => {
  const at = chance.below(frame.length + 1)
  const part = frame.subarray(at, at + 1 + chance.below(32))
  return Buffer.concat([
    frame.subarray(0, at),
    ...Array.from({ length: 2 + chance.below(40) }, () => part),
    frame.subarray(at),
  ])
}

const MUTATIONS = [flip, flip, overwrite, overwrite, cut, drop, splice, repeat]

/** A genuine frame with one to three things done to it. */
export function mutant(frames: readonly Buffer[], chance: Chance): Buffer {
  let frame = chance.of(frames)
  for (let left = 1 + chance.below(3); left > 0; left--) frame = chance.of(MUTATIONS)(frame, chance, frames)
  return frame.subarray(0, MAX_LENGTH)
}

import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'

/** How many tokens a text takes. Any counter will do that is a function of the text alone and never throws. */
export type Tokenizer = (text: string) => number

/** Without this the library throws on a text such as `<|im_start|>`. Here a text is never more than a text. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() }

// The library remembers 100,000 words it has seen. They are users' words, and would outlive an erasure.
setMergeCacheSize(0)

export const o200k: Tokenizer = text => countTokens(text, PLAIN_TEXT)

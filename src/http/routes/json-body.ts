import { Refusal } from '../../rules/refusal.ts'

export const maxBodyBytes = 64 * 1024
const maxDepth = 32
/** Most values of all kinds in one body. */
const maxValues = 50_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const numbers = new WeakMap<object, Map<string, string>>()

const malformed = (detail: string): Refusal => new Refusal('malformed_json', detail)

/** Whether JavaScript writes a number with the same digits, so that its source need not be kept. */
const isPlain = (number: string): boolean => String(Number(number)) === number

const isNumberPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45

/**
 * Counts keys and looks for what the plain parser would lose; refuses deep nesting and too many values before the parser
 * builds anything.
 */
const scan = (text: string): { readonly keys: number; readonly isPlain: boolean } => {
  let depth = 0
  let keys = 0
  let values = 1
  let inString = false
  let allPlain = true
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) {
        // An escape may be half of a surrogate pair.
        if (text.charCodeAt(++index) === 0x75) allPlain = false
      } else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x3a) keys++
    else if (code === 0x2c) values++
    else if (code === 0x7b || code === 0x5b) {
      values++
      if (++depth > maxDepth) throw malformed(`The body is nested deeper than ${maxDepth} levels.`)
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (allPlain && (code === 0x2d || (code >= 0x30 && code <= 0x39))) {
      let end = index + 1
      while (isNumberPart(text.charCodeAt(end))) end++
      allPlain = isPlain(text.slice(index, end))
      index = end - 1
    }
  }
  if (values > maxValues) throw malformed(`The body has more than ${maxValues} values.`)
  return { keys, isPlain: allPlain }
}

const countKeys = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const within = Object.values(value)
  let keys = Array.isArray(value) ? 0 : within.length
  for (const each of within) keys += countKeys(each)
  return keys
}

/** Where the parser stopped, if its message says so. The message itself is not used, because it quotes the body. */
const parserFault = (message: string): string => {
  if (message.includes('Unexpected end')) return ': it ends too early'
  const [, position] = /at position (\d+)/.exec(message) ?? []
  return position === undefined ? '' : `: error at position ${position}`
}

const parse = (text: string, review?: Parameters<typeof JSON.parse>[1]): unknown => {
  try {
    return JSON.parse(text, review)
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (text.trim() === '') throw malformed('The body is empty.')
    throw malformed(`The body is not well-formed JSON${parserFault(String(error))}.`)
  }
}

/** Keeps the digits of numbers and refuses texts that are not well-formed; takes longer than everything else. */
const review = function (this: object, key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'string' && !value.isWellFormed())
    throw malformed('The body has a string with a lone surrogate.')
  if (!key.isWellFormed()) throw malformed('The body has a key with a lone surrogate.')
  if (typeof value === 'number' && context?.source !== undefined) {
    const own = numbers.get(this) ?? new Map<string, string>()
    numbers.set(this, own.set(key, context.source))
  }
  return value
}

/**
 * Parses a JSON body: UTF-8 without a byte order mark, at most 32 levels deep, every string well-formed, no key twice in
 * an object. The digits of its numbers are kept, see `numberSource`. Refuses `malformed_json`.
 */
export const parseJsonBody = (bytes: Buffer): unknown => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw malformed('The body is not valid UTF-8.')
  }
  const { keys, isPlain: isPlainText } = scan(text)
  // Nearly every body needs no review.
  const parsed = isPlainText ? parse(text) : parse(text, review)
  if (countKeys(parsed) !== keys) throw malformed('The body has an object with the same key twice.')
  return parsed
}

/** The digits of a number in a parsed body as the client wrote them, such as `100.10`; exact where a double is not. */
export const numberSource = (holder: object, key: string): string => {
  const value: unknown = (holder as Record<string, unknown>)[key]
  const source = numbers.get(holder)?.get(key) ?? (typeof value === 'number' ? String(value) : undefined)
  if (source === undefined) throw new Error(`the body has no number ${key}`)
  return source
}

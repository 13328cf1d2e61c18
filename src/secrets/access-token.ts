import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Who uses a token: a live merchant, a sandbox merchant, or the operator API. */
export type AccessTokenMode = 'live' | 'test' | 'ops'

/** Returns this many random bytes, different on each call. */
export type RandomSource = (length: number) => Buffer

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62³⁰ is more than 2¹⁷⁸. */
const randomLength = 30
/** 62⁶ is more than 2³². */
const checksumLength = 6
const shape = /^payin_(live|test|ops)_[0-9A-Za-z]{36}$/
const longest = 'payin_live_'.length + randomLength + checksumLength

/** Bytes from 248 on are discarded: taking them modulo 62 would favour the first eight characters. */
const randomText = (length: number, source: RandomSource): string => {
  let text = ''
  while (text.length < length) {
    for (const byte of source(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < checksumLength; index++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** The hex SHA-256 that is stored instead of a token; plain SHA-256 is enough for 178 random bits. */
export const hashAccessToken = (token: string): string => hash('sha256', token, 'hex')

/**
 * A new token to be shown once, `payin_live_` + 30 random base62 characters + 6 of checksum; or the key of a feed, or the
 * secret of a phone. Of a token, only its `hash` and `prefix` (its beginning, for display) are stored. A `source` other
 * than the system's makes reproducible tokens.
 */
export const generateAccessToken = (
  mode: AccessTokenMode | 'feed' | 'phone',
  source: RandomSource = randomBytes,
): { readonly token: string; readonly hash: string; readonly prefix: string } => {
  const body = `payin_${mode}_${randomText(randomLength, source)}`
  const token = body + checksum(body)
  return { token, hash: hashAccessToken(token), prefix: token.slice(0, mode === 'phone' ? 17 : 16) }
}

/** The mode of a well-formed token, by shape and checksum alone: typing errors and noise never reach the database. */
export const parseAccessToken = (text: string): { readonly mode: AccessTokenMode } | undefined => {
  if (text.length > longest) return undefined
  const mode = shape.exec(text)?.[1] as AccessTokenMode | undefined
  if (!mode || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
  return { mode }
}

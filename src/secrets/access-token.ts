import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Whom a token lets in: a live merchant, a sandbox merchant, or the operator API. */
export type AccessTokenMode = 'live' | 'test' | 'ops'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62³⁰ is more than 2¹⁷⁸. */
const randomLength = 30
/** 62⁶ is more than 2³². */
const checksumLength = 6
const shape = /^payin_(live|test|ops)_[0-9A-Za-z]{36}$/
const longest = 'payin_live_'.length + randomLength + checksumLength

/** Where a token's random bytes come from: so many, from a new place each time. */
export type RandomSource = (length: number) => Buffer

/**
 * A new token, `payin_live_` + 30 random base62 characters + 6 of checksum, to be shown once;
 * only its `hash` and `prefix` (the first 16 characters, for display) are stored. Another `source` of random bytes than
 * the system's makes tokens that can be made again.
 */
export function generateAccessToken(
  mode: AccessTokenMode,
  source: RandomSource = randomBytes,
): { token: string; hash: string; prefix: string } {
  const body = `payin_${mode}_${randomText(randomLength, source)}`
  const token = body + checksum(body)
  return { token, hash: hashAccessToken(token), prefix: token.slice(0, 16) }
}

/** Tells a well-formed token by shape and checksum alone, so that typing errors and noise never reach the database. */
export function parseAccessToken(text: string): { mode: AccessTokenMode } | undefined {
  if (text.length > longest) return undefined
  const mode = shape.exec(text)?.[1] as AccessTokenMode | undefined
  if (!mode || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
  return { mode }
}

/** The hex SHA-256 that stands for the token at rest; plain SHA-256 is enough for 178 random bits. */
export function hashAccessToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/** Bytes from 248 on are thrown away: taking them modulo 62 would favour the first eight characters. */
function randomText(length: number, source: RandomSource): string {
  let text = ''
  while (text.length < length) {
    for (const byte of source(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < checksumLength; index++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

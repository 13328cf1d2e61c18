import { createHmac, createSecretKey, hash } from 'node:crypto'

const blockBytes = 64
const hashBytes = 32
/** Longer contents use `createHmac`. */
const longestShort = 512

/** A block of SHA-256 that begins with the key, each byte of it changed by `mark`. */
const startBlock = (key: Uint8Array, mark: number): Buffer =>
  Buffer.alloc(blockBytes).map((_, index) => (key[index] ?? 0) ^ mark) as Buffer

/** The HMAC-SHA256 of a content under one key. */
export type KeyedHash = (content: string | Uint8Array, encoding: 'base64url' | 'binary') => string

/**
 * HMAC-SHA256 (RFC 2104) under a 32-byte key, for many short contents. Two hashes take 1.9 µs, whereas `createHmac`
 * takes 3.5 because of the object that it creates (2 cores, Node 24.21): the search hashes four or more words for each
 * payment.
 */
export const createKeyedHash = (key: Uint8Array): KeyedHash => {
  if (key.length !== hashBytes) throw new Error('The key of a keyed hash has 32 bytes')
  const secret = createSecretKey(key)
  const inner = Buffer.concat([startBlock(key, 0x36), Buffer.alloc(longestShort * 3)])
  const outer = Buffer.concat([startBlock(key, 0x5c), Buffer.alloc(hashBytes)])
  return (content, encoding) => {
    if (content.length > longestShort) return createHmac('sha256', secret).update(content).digest(encoding)
    const end = blockBytes + (typeof content === 'string' ? inner.write(content, blockBytes) : content.length)
    if (typeof content !== 'string') inner.set(content, blockBytes)
    // As a text with one character per byte, because creating a buffer takes half as long as hashing.
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'binary')
    return hash('sha256', outer, encoding)
  }
}

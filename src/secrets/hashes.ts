import { createHash, hash, timingSafeEqual } from 'node:crypto'

/** The SHA-256 of a text, in 43 characters. */
export const hashText = (text: string): string => hash('sha256', text, 'base64url')

/** The SHA-256 of a content. */
export const hashBytes = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()

/** The same in hex. */
export const hexHash = (content: Uint8Array): string => hash('sha256', content, 'hex')

/** Hashes a content piece by piece; `end` returns its hex SHA-256. */
export const startHash = (): { add(piece: Uint8Array): void; end(): string } => {
  const sum = createHash('sha256')
  return { add: (piece) => void sum.update(piece), end: () => sum.digest('hex') }
}

/** Hash of an audit entry that also covers the hash of the previous entry; hex SHA-256. */
export const chainHash = (previousHash: string, content: string): string =>
  createHash('sha256').update(previousHash).update('\n').update(content).digest('hex')

/** Whether two texts are equal, in a time that does not reveal how many of their characters agree. */
export const equalTexts = (expected: string, given: string): boolean => {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

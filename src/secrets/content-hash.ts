import { createHash, hash } from 'node:crypto'

/** The SHA-256 of a text, in 43 characters. */
export const hashText = (text: string): string => hash('sha256', text, 'base64url')

/** Hashes a content as it passes by in pieces; `end` gives its SHA-256 in hex. */
export const startHash = (): { add(piece: Uint8Array): void; end(): string } => {
  const sum = createHash('sha256')
  return { add: (piece) => void sum.update(piece), end: () => sum.digest('hex') }
}

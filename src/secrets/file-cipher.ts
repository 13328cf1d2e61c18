import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { hashBytes } from './hashes.ts'

const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** A content that is encrypted with a key of its own, and the SHA-256 of what came out, in hex. */
export type ApartFile = { readonly key: Buffer; readonly content: Buffer; readonly hash: string }

const hashOf = (content: Uint8Array): string => hashBytes(content).toString('hex')

/** Encrypts a content for a place outside of the database. Its key is kept in there, sealed as other secrets are. */
export const encryptApart = (plain: Uint8Array): ApartFile => {
  const [key, nonce] = [randomBytes(32), randomBytes(nonceBytes)]
  const cipher = createCipheriv(algorithm, key, nonce)
  const content = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return { key, content, hash: hashOf(content) }
}

/** Opens what `encryptApart` has encrypted; throws when it is not what was stored. */
export const decryptApart = ({ key, content, hash }: ApartFile): Buffer => {
  if (hashOf(content) !== hash) throw new Error('a stored file is not what was written: its hash differs')
  const decipher = createDecipheriv(algorithm, key, content.subarray(0, nonceBytes))
  decipher.setAuthTag(content.subarray(-tagBytes))
  return Buffer.concat([decipher.update(content.subarray(nonceBytes, -tagBytes)), decipher.final()])
}

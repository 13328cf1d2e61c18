import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { hexHash } from './hashes.ts'

const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** A content encrypted with its own key, and the hex SHA-256 of the result. */
export type ApartFile = { readonly key: Buffer; readonly content: Buffer; readonly hash: string }

/** Encrypts a content for storage outside the database. Its key is kept in the database, sealed like other secrets. */
export const encryptApart = (plain: Uint8Array): ApartFile => {
  const [key, nonce] = [randomBytes(32), randomBytes(nonceBytes)]
  const cipher = createCipheriv(algorithm, key, nonce)
  const content = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return { key, content, hash: hexHash(content) }
}

/** Decrypts what `encryptApart` has encrypted; throws if it is not what was stored. */
export const decryptApart = ({ key, content, hash }: ApartFile): Buffer => {
  if (hexHash(content) !== hash) throw new Error('a stored file is not what was written: its hash differs')
  const decipher = createDecipheriv(algorithm, key, content.subarray(0, nonceBytes))
  decipher.setAuthTag(content.subarray(-tagBytes))
  return Buffer.concat([decipher.update(content.subarray(nonceBytes, -tagBytes)), decipher.final()])
}

import { randomBytes } from 'node:crypto'
import { hashText } from './hashes.ts'

/** A new 43-character token for a link that is valid once; only its `hashText` is stored. */
export const generateOneTimeToken = (): { readonly token: string; readonly hash: string } => {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashText(token) }
}

/** Identifies one showing of a form, so that it counts once however often it is sent: 22 unguessable characters. */
export const formVisit = (): string => randomBytes(16).toString('base64url')

/** An unguessable text for the styles of one page under a content security policy. */
export const pageNonce = (): string => randomBytes(18).toString('base64')

import { randomBytes } from 'node:crypto'
import { hashText } from './hashes.ts'

/** A new token of 43 characters for a link that is good once; only its `hashText` is stored. */
export const generateOneTimeToken = (): { readonly token: string; readonly hash: string } => {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashText(token) }
}

/** What one showing of a form carries, so that it counts once however often it is sent: 22 characters nobody can guess. */
export const formVisit = (): string => randomBytes(16).toString('base64url')

/** A text that nobody can guess, for the styles of one page under a content security policy. */
export const pageNonce = (): string => randomBytes(18).toString('base64')

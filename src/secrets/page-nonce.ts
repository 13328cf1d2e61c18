import { randomBytes } from 'node:crypto'

/** A text that nobody can guess, for the styles of one page under a content security policy. */
export const pageNonce = (): string => randomBytes(18).toString('base64')

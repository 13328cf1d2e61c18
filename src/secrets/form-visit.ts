import { randomBytes } from 'node:crypto'

/** What one showing of a form carries, so that it counts once however often it is sent: 22 characters nobody can guess. */
export const formVisit = (): string => randomBytes(16).toString('base64url')

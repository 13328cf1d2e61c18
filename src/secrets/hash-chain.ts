import { createHash } from 'node:crypto'

/** Hash of an audit entry that also covers the hash of the entry before it; hex SHA-256. */
export const chainHash = (previousHash: string, content: string): string =>
  createHash('sha256').update(previousHash).update('\n').update(content).digest('hex')

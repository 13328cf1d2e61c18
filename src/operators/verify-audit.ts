import type { Queryable } from '../database/database.ts'
import { chainHash } from '../secrets/hash-chain.ts'
import { auditEntryContent } from './audit-entry-content.ts'
import { findAuditHead, listAuditEntries } from './store.ts'

const pageSize = 1000

/** Recomputes the audit chain and returns the sequence numbers of entries that do not fit it; empty when it is whole. */
export const verifyAudit = async (sql: Queryable): Promise<bigint[]> => {
  const broken: bigint[] = []
  let expected = { sequence: 0n, hash: '' }
  for (;;) {
    const page = await sql.query(listAuditEntries, { after: expected.sequence, limit: pageSize })
    for (const entry of page) {
      const hash = chainHash(expected.hash, auditEntryContent(entry))
      const fits =
        entry.sequence === expected.sequence + 1n && entry.previousHash === expected.hash && entry.hash === hash
      if (!fits) broken.push(entry.sequence)
      expected = { sequence: entry.sequence, hash: entry.hash }
    }
    if (page.length < pageSize) break
  }
  const [head] = await sql.query(findAuditHead, {})
  if (!head || head.sequence !== expected.sequence || head.hash !== expected.hash) broken.push(expected.sequence + 1n)
  return broken
}

import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import { findActOfToken, findAuditEntries, findAuditHead, selectAuditEntries } from './store.ts'

/** Audit entries in their order: those after a sequence number or, for `null`, the last ones; at most `limit`. */
export const listAuditEntries = async (context: Context, after: bigint | null, limit: number) => {
  if (after !== null) return context.query(selectAuditEntries, { after, limit })
  const [head] = await context.query(findAuditHead, {})
  const last = head?.sequence ?? 0n
  // Sequence numbers have no gaps.
  return context.query(selectAuditEntries, { after: last > BigInt(limit) ? last - BigInt(limit) : 0n, limit })
}

/** Whether an operator with this name has ever acted with a token. */
export const hasActedWithToken = async (sql: Queryable, name: string): Promise<boolean> =>
  (await sql.query(findActOfToken, { actor: `operator:${name}` })).length > 0

/** What to search for in the audit; `action` and `subject` may be prefixes. */
export type AuditFilter = Omit<Parameters<typeof findAuditEntries.encode>[0], 'before' | 'from' | 'limit'>

/** Most entries that one page scans: if few match, the next page continues. */
const lookedAt = 100_000n

/**
 * A page of the entries that match a filter, the newest first, before a sequence number; `next` is where the next page
 * begins, null after the last. A page may have fewer rows than `limit`, or none, and still have a next one.
 */
export const findInAudit = async (context: Context, filter: AuditFilter, before: bigint | null, limit: number) => {
  const [head] = await context.query(findAuditHead, {})
  const start = before ?? (head?.sequence ?? 0n) + 1n
  const from = start > lookedAt ? start - lookedAt : 1n
  const found = await context.query(findAuditEntries, { ...filter, before: start, from, limit: limit + 1 })
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  if (found.length > limit && last) return { entries, next: last.sequence }
  return { entries, next: from > 1n ? from : null }
}

import type { Context } from '../context.ts'
import { findAuditHead, selectAuditEntries } from './store.ts'

/** Audit entries in their order: those after a sequence number or, for `null`, the last ones; at most `limit`. */
export const listAuditEntries = async (context: Context, after: bigint | null, limit: number) => {
  if (after !== null) return context.query(selectAuditEntries, { after, limit })
  const [head] = await context.query(findAuditHead, {})
  const last = head?.sequence ?? 0n
  // Sequence numbers have no gaps.
  return context.query(selectAuditEntries, { after: last > BigInt(limit) ? last - BigInt(limit) : 0n, limit })
}

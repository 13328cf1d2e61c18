import type { Queryable } from 'payin-database'
import { chainHash } from '../../secrets/hashes.ts'
import { auditEntryContent } from './record-acts.ts'
import { findAuditHead, selectAuditEntries } from './store.ts'

const pageSize = 1000

/** An entry of the chain by its number, with its hash. */
export type Link = { readonly sequence: bigint; readonly hash: string }

/** Reads from a link to the end of the chain; notes entries that do not fit and the hash at `watched`. */
const follow = async (sql: Queryable, from: Link, broken: bigint[], watched: bigint | undefined) => {
  let last = from
  let seen = from.sequence === watched ? from.hash : undefined
  for (;;) {
    const page = await sql.query(selectAuditEntries, { after: last.sequence, limit: pageSize })
    for (const entry of page) {
      const hash = chainHash(last.hash, auditEntryContent(entry))
      const fits = entry.sequence === last.sequence + 1n && entry.previousHash === last.hash && entry.hash === hash
      if (!fits) broken.push(entry.sequence)
      last = { sequence: entry.sequence, hash: entry.hash }
      if (entry.sequence === watched) seen = entry.hash
    }
    if (page.length < pageSize) return { last, seen }
  }
}

/** The link before the first entry. */
const beginning: Link = { sequence: 0n, hash: '' }

/**
 * Recomputes the audit chain, by default all of it, and returns the sequence numbers of entries that do not fit (none
 * if it is intact) and its last link.
 */
export const verifyAuditFrom = async (
  sql: Queryable,
  from: Link = beginning,
): Promise<{ readonly broken: readonly bigint[]; readonly last: Link }> => {
  const broken: bigint[] = []
  const { last } = await follow(sql, from, broken, undefined)
  const [head] = await sql.query(findAuditHead, {})
  if (!head || head.sequence < last.sequence) return { broken: [...broken, last.sequence], last }
  // Entries may have been written between the last page and the head: they must lead to it.
  const { seen } = await follow(sql, last, broken, head.sequence)
  if (seen !== head.hash) broken.push(head.sequence)
  return { broken, last }
}

/** Recomputes the whole audit chain and returns the sequence numbers of entries that do not fit it. */
export const verifyAudit = async (sql: Queryable): Promise<readonly bigint[]> => (await verifyAuditFrom(sql)).broken

import type { Context, Tx } from '../context.ts'
import { chainHash } from '../secrets/hash-chain.ts'
import { auditEntryContent } from './audit-entry-content.ts'
import { insertAuditEntry, lockAuditHead } from './store.ts'

/** What an operator does, or a merchant with its endpoints, for the audit: never a secret or a full number in `details`. */
export type AuditedAct = {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

const printable = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

/**
 * Runs a change and writes its audit entry in the same transaction; `describe` makes the entry out of the
 * result, which alone knows the id of something new and what was there before.
 */
export const actAudited = <T>(
  context: Context,
  work: (tx: Tx) => Promise<T>,
  describe: (result: T) => AuditedAct,
): Promise<T> =>
  context.transaction(async (tx) => {
    const result = await work(tx)
    const act = describe(result)
    const [head] = await tx.query(lockAuditHead, {})
    if (!head) throw new Error('the head of the audit chain is missing')
    const entry = {
      sequence: head.sequence + 1n,
      at: tx.now,
      actor: act.actor,
      action: act.action,
      subject: act.subject,
      details: JSON.stringify(act.details, printable),
    }
    const hash = chainHash(head.hash, auditEntryContent(entry))
    await tx.query(insertAuditEntry, { ...entry, previousHash: head.hash, hash })
    return result
  })

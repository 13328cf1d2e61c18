import type { Tx, Context } from '../context.ts'
import { formatInstant, type Instant } from '../../rules/time.ts'
import { chainHash } from '../../secrets/hashes.ts'
import { insertAuditEntries, lockAuditHead } from './store.ts'

/** What somebody did, for the audit: `details` never contains a secret or a full number. */
export type AuditedAct = {
  /** `operator:…`, `merchant:…` (its token), `member:…` (its member in the console), `payer`, or `service`. */
  readonly actor: string
  /** What proved who it is: `account:{id}`, or `token:` and the beginning of its hash; absent if nobody signed in. */
  readonly credential?: string | undefined
  readonly sessionId?: string | undefined
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

/** The text of an audit entry that its hash covers. */
export const auditEntryContent = (
  entry: Pick<AuditedAct, 'actor' | 'action' | 'subject'> & {
    readonly sequence: bigint
    readonly at: Instant
    readonly details: string
    readonly credential: string | null
    readonly sessionId: string | null
  },
): string => {
  const { sequence, at, actor, action, subject, details, credential, sessionId } = entry
  const content = [String(sequence), formatInstant(at), actor, action, subject, details]
  return JSON.stringify(credential === null ? content : [...content, credential, sessionId])
}

const printable = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

/** The merchant of a subject such as `settlement:{merchant}/{id}`. */
const merchantOf = (subject: string): string | null => /^[a-z-]+:([0-9a-f-]{36})\//.exec(subject)?.[1] ?? null

/** Appends acts to the audit chain. Call it last in the transaction, because it excludes all others that do so. */
export const recordActs = async (tx: Tx, acts: readonly AuditedAct[]): Promise<void> => {
  if (acts.length === 0) return
  const [head] = await tx.query(lockAuditHead, {})
  if (!head) throw new Error('the head of the audit chain is missing')
  let { sequence, hash } = head
  const entries = acts.map(({ actor, action, subject, details, credential = null, sessionId = null }) => {
    sequence += 1n
    const text = JSON.stringify(details, printable)
    const entry = { sequence, at: tx.now, actor, action, subject, details: text, credential, sessionId }
    const previousHash = hash
    hash = chainHash(previousHash, auditEntryContent(entry))
    return { ...entry, previousHash, hash }
  })
  await tx.query(insertAuditEntries, { lastSequence: sequence, lastHash: hash, rows: entries })
  tx.afterCommit(() => tx.changes.announce('records', [...new Set(acts.map(({ subject }) => merchantOf(subject)))]))
}

/**
 * Runs a change and writes its audit entries in the same transaction; `describe` creates them from the result, which
 * alone has the id of something new and the values from before.
 */
export const actAudited = <T>(
  context: Context,
  work: (tx: Tx) => Promise<T>,
  describe: (result: T) => AuditedAct | readonly AuditedAct[],
): Promise<T> =>
  context.transaction(async (tx) => {
    const result = await work(tx)
    await recordActs(tx, [describe(result)].flat())
    return result
  })

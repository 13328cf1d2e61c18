import type { Context, Tx } from '../../context.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { day } from '../../../rules/time.ts'
import type { DecisionWord } from '../../../rules/transfers/transfer.ts'
import type { TransferKey } from '../transfer-parts.ts'
import { deleteDecisions, findDecisionByKey, insertDecision, insertDone, insertRefused } from './store.ts'

/** One transfer of a decision; numbers in the request begin at 1. */
export type NamedTransfer = {
  readonly decisionId: string
  readonly number: number
  readonly key: TransferKey
  readonly word: DecisionWord
}

/**
 * Opens the decision of a request; the same operator and key always get the same id. Refuses `already_exists` if the
 * key was used with another body.
 */
export const openDecision = async (
  context: Context,
  actor: string,
  idempotencyKey: string | null,
  bodyHash: string,
): Promise<string> => {
  const id = context.newId()
  await context.query(insertDecision, { id, decidedBy: actor, idempotencyKey, bodyHash, decidedAt: context.clock() })
  if (idempotencyKey === null) return id
  const [found] = await context.query(findDecisionByKey, { decidedBy: actor, idempotencyKey })
  if (found?.bodyHash === bodyHash) return found.id
  throw new Refusal('already_exists', 'This idempotency key was used before with another body: use a new one.')
}

const rowOf = ({ key, ...named }: NamedTransfer) => ({ ...named, requisiteId: key.requisiteId, transferId: key.id })

/**
 * Records in the same transaction that a decision was carried out on a locked transfer. False if the same request was
 * carried out before: then the transaction must not be committed.
 */
export const recordDone = async (tx: Tx, named: NamedTransfer, made: number): Promise<boolean> =>
  (await tx.query(insertDone, { ...rowOf(named), made })).length > 0

/** Records a decision that a request about this one transfer has carried out, and returns its id. */
export const recordDecision = async (
  tx: Tx,
  key: TransferKey,
  word: DecisionWord,
  made: number,
  actor: string,
): Promise<string> => {
  const id = tx.newId()
  await tx.query(insertDecision, { id, decidedBy: actor, idempotencyKey: null, bodyHash: null, decidedAt: tx.now })
  await recordDone(tx, { decisionId: id, number: 1, key, word }, made)
  return id
}

/** Records that a decision about a transfer was refused. */
export const recordRefused = async (context: Context, named: NamedTransfer, refusal: Refusal): Promise<void> => {
  const { code: refusalCode, message: refusalMessage } = refusal
  await context.query(insertRefused, { ...rowOf(named), refusalCode, refusalMessage })
}

/** Decisions are kept this long: they can be read, and a repeated idempotency key gets the same results. */
const keptMs = 30 * day

/** Most decisions deleted per round; each may name a thousand transfers. */
const batchSize = 100

/** Deletes decisions older than `keptMs` and returns how many; their effects and the audit stay. */
export const forgetDecisions = async (context: Context): Promise<number> => {
  const [row] = await context.query(deleteDecisions, { before: context.clock() - keptMs, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

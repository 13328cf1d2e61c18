import type { Context, Tx } from '../context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { day } from '../../rules/time.ts'
import { type DecisionAbout, deleteDecisions, findDecisionByKey, insertDecision, insertResult } from './store.ts'

/** One transfer or dispute of a decision; numbers in the request begin at 1. */
export type NamedResult = {
  readonly decisionId: string
  readonly number: number
  /** The requisite of a transfer, the merchant of a dispute. */
  readonly ownerId: string
  readonly id: string
  readonly word: string
}

/** What was decided: `proposed` waits for a second operator. */
export type Made = {
  readonly state: 'done' | 'proposed'
  /** Of a transfer: how many of its parts were kept, and the number of the last one. */
  readonly keptParts?: number | null
  readonly lastPart?: number | null
}

/**
 * Opens the decision of a request; the same operator and key always get the same id. Refuses `already_exists` if the
 * key was used with another body.
 */
export const openDecision = async (
  context: Context,
  about: DecisionAbout,
  decidedBy: string,
  idempotencyKey: string | null,
  bodyHash: string,
): Promise<string> => {
  const id = context.newId()
  await context.query(insertDecision, { id, about, decidedBy, idempotencyKey, bodyHash, decidedAt: context.clock() })
  if (idempotencyKey === null) return id
  const [found] = await context.query(findDecisionByKey, { about, decidedBy, idempotencyKey })
  if (found?.bodyHash === bodyHash) return found.id
  throw new Refusal('already_exists', 'This idempotency key was used before with another body: use a new one.')
}

/**
 * Records in the same transaction that a decision was carried out on what is locked. False if the same request was
 * carried out before: then the transaction must not be committed.
 */
export const recordDone = async (
  tx: Tx,
  named: NamedResult,
  { state, keptParts = null, lastPart = null }: Made,
): Promise<boolean> =>
  (await tx.query(insertResult, { ...named, state, keptParts, lastPart, code: null, message: null })).length > 0

/** Records a decision that a request about this one transfer has carried out, and returns its id. */
export const recordSingle = async (
  tx: Tx,
  named: Omit<NamedResult, 'decisionId' | 'number'>,
  made: Made,
  decidedBy: string,
): Promise<string> => {
  const id = tx.newId()
  const byItself = { idempotencyKey: null, bodyHash: null, decidedAt: tx.now }
  await tx.query(insertDecision, { id, about: 'transfer', decidedBy, ...byItself })
  await recordDone(tx, { ...named, decisionId: id, number: 1 }, made)
  return id
}

/** Records that a decision was refused. */
export const recordRefused = async (
  context: Context,
  named: NamedResult,
  { code, message }: Refusal,
): Promise<void> => {
  await context.query(insertResult, { ...named, state: 'refused', code, message, keptParts: null, lastPart: null })
}

/** Decisions are kept this long: they can be read, and a repeated idempotency key gets the same results. */
const keptMs = 30 * day

/** Most decisions deleted per round; each may have a thousand results. */
const batchSize = 100

/** Deletes decisions older than `keptMs` and returns how many; their effects and the audit stay. */
export const forgetDecisions = async (context: Context): Promise<number> => {
  const [row] = await context.query(deleteDecisions, { before: context.clock() - keptMs, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

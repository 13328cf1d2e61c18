import type { Context, Tx } from '../../context.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { day } from '../../../rules/time.ts'
import type { DisputeKey } from '../read.ts'
import { deleteDecisions, findDecisionByKey, insertDecision, insertResult, selectResults } from '../store.ts'

/** One dispute of a request; numbers in the request begin at 1. */
export type NamedDispute = { readonly decisionId: string; readonly number: number; readonly key: DisputeKey }

export type DisputeResult = DisputeKey &
  (
    | { readonly state: 'done' | 'proposed' }
    | { readonly state: 'refused'; readonly code: string; readonly message: string }
  )

/**
 * Opens the request with an operator's key and returns its id; the same operator and key always get the same id.
 * Refuses `already_exists` if the key was used with another body.
 */
export const openDisputeDecision = async (
  context: Context,
  decidedBy: string,
  idempotencyKey: string,
  bodyHash: string,
): Promise<string> => {
  const decidedAt = context.clock()
  await context.query(insertDecision, { id: context.newId(), decidedBy, idempotencyKey, bodyHash, decidedAt })
  const [found] = await context.query(findDecisionByKey, { decidedBy, idempotencyKey })
  if (found?.bodyHash === bodyHash) return found.id
  throw new Refusal('already_exists', 'This idempotency key was used before with another body: use a new one.')
}

/** The results of a request so far, in its order. */
export const listResults = async (context: Context, decisionId: string): Promise<DisputeResult[]> =>
  (await context.query(selectResults, { decisionId })).map(
    ({ merchantId, disputeId: id, state, refusalCode, refusalMessage }) =>
      state === 'refused'
        ? { merchantId, id, state, code: refusalCode ?? '', message: refusalMessage ?? '' }
        : { merchantId, id, state },
  )

/**
 * Records the decision about a locked dispute, in the same transaction. Returns false if the same request has decided
 * it before: then the transaction must not be committed.
 */
export const recordDecidedDispute = async (
  tx: Tx,
  { decisionId, number, key }: NamedDispute,
  state: 'done' | 'proposed',
): Promise<boolean> => {
  const row = { decisionId, number, merchantId: key.merchantId, disputeId: key.id, state }
  return (await tx.query(insertResult, { ...row, refusalCode: null, refusalMessage: null })).length > 0
}

/** Records that a decision about a dispute was refused. */
export const recordRefusedDispute = async (
  context: Context,
  { decisionId, number, key }: NamedDispute,
  { code: refusalCode, message: refusalMessage }: Refusal,
): Promise<void> => {
  const row = { decisionId, number, merchantId: key.merchantId, disputeId: key.id, state: 'refused' as const }
  await context.query(insertResult, { ...row, refusalCode, refusalMessage })
}

/** How long a repeated idempotency key gets the same results. */
const keptMs = 30 * day

/** Most requests deleted per round; each may name hundreds of disputes. */
const batchSize = 100

/** Deletes the results of requests older than `keptMs`; their decisions stay. Returns how many requests. */
export const forgetDisputeDecisions = async (context: Context): Promise<number> => {
  const [row] = await context.query(deleteDecisions, { before: context.clock() - keptMs, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

import type { Context, Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { day } from '../../domain/time.ts'
import type { DisputeKey } from '../decide-dispute.ts'
import { deleteDecisions, findDecisionByKey, insertDecision, insertResult, selectResults } from '../store.ts'

/** One dispute of a request: its number in the request begins at 1. */
export type NamedDispute = { readonly decisionId: string; readonly number: number; readonly key: DisputeKey }

/** What became of one dispute of a request. */
export type DisputeResult = DisputeKey &
  (
    | { readonly state: 'done' | 'proposed' }
    | { readonly state: 'refused'; readonly code: string; readonly message: string }
  )

/**
 * Opens the request with an operator's key and returns its id: the same one for the same key of the same operator. Refuses
 * `already_exists` where the key came with another body.
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
  throw new Refusal('already_exists', 'This idempotency key came before, with another body: use a new one.')
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
 * Records what was decided about a locked dispute, in the transaction that did so. Returns false where the same request
 * has done so before: then the transaction must not be committed.
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

/** Results of requests are answered again for the same idempotency key for this long. */
const keptMs = 30 * day

/** Most requests that one round deletes; each may name hundreds of disputes. */
const batchSize = 100

/** Deletes the results of requests that are older than `keptMs`; what they decided stays. Returns how many requests. */
export const forgetDisputeDecisions = async (context: Context): Promise<number> => {
  const [row] = await context.query(deleteDecisions, { before: context.clock() - keptMs, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

import type { Context } from '../context.ts'
import type { Dispute, DisputeState } from '../domain/dispute.ts'
import { toDispute } from './read-dispute.ts'
import { listDisputes as list, listUndecided } from './store.ts'

/** A page of disputes of all merchants or of one, the newest first. */
export const listDisputes = async (
  context: Context,
  page: {
    readonly merchantId: string | null
    readonly state: DisputeState | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<Dispute[]> => (await context.query(list, page)).map(toDispute)

/** Undecided disputes, the one that must be decided next first. */
export const listDisputeQueue = async (context: Context, limit: number): Promise<Dispute[]> =>
  (await context.query(listUndecided, { limit })).map(toDispute)

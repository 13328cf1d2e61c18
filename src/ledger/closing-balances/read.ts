import type { Context } from '../../context.ts'
import { selectReconciliations } from './store.ts'

/**
 * Closing balances of one requisite or of all, the last days first, each with what the ledger held on the account when
 * the day ended, in minor units.
 */
export const listReconciliations = (context: Context, requisiteId: string | null, limit: number) =>
  context.query(selectReconciliations, { requisiteId, limit })

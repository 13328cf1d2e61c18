import type { Context } from '../context.ts'
import { countOutcomes } from './store.ts'

/** How many transfers that a statement brought were taken for what, and where their money went. */
export const getOutcomes = (
  context: Context,
  statementId: string,
): Promise<{ readonly outcome: string; readonly kind: string; readonly transfers: number }[]> =>
  context.query(countOutcomes, { statementId })

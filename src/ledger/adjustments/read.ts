import type { Context } from '../../context.ts'
import type { AdjustmentStatus } from '../../domain/adjustment.ts'
import { selectAdjustments } from './store.ts'

/** Adjustments, the newest first, from before an id. */
export const listAdjustments = (
  context: Context,
  page: { readonly status: AdjustmentStatus | null; readonly before: string | null; readonly limit: number },
) => context.query(selectAdjustments, page)

import type { TypedName } from '../../domain/id-text.ts'
import type { Context } from '../../context.ts'
import type { AdjustmentStatus } from '../../domain/adjustment.ts'
import { findAdjustments, selectAdjustments } from './store.ts'

/** Adjustments, the newest first, from before an id. */
export const listAdjustments = (
  context: Context,
  page: { readonly status: AdjustmentStatus | null; readonly before: string | null; readonly limit: number },
) => context.query(selectAdjustments, page)

/** Adjustments of books that a reference or a shortened id may mean, a few of them. */
export const findAdjustmentsByName = (
  context: Context,
  wanted: TypedName & { readonly merchantIds: readonly string[] },
) => context.query(findAdjustments, wanted)

import type { Context } from '../../context.ts'
import type { TypedName } from '../../domain/id-text.ts'
import { findOutgoing, findReversals, findTransfers } from './store.ts'

type Wanted = TypedName & { readonly requisiteIds: readonly string[] }

/** Transfers that a bank reference or a shortened id may mean, a few of them. */
export const findTransfersByName = (context: Context, wanted: Wanted) => context.query(findTransfers, wanted)

/** Reversals that a shortened id may mean, a few of them. */
export const findReversalsByName = (context: Context, { typed: _, ...wanted }: Wanted) =>
  context.query(findReversals, wanted)

/** Outgoing transfers that a shortened id may mean, a few of them. */
export const findOutgoingByName = (context: Context, { typed: _, ...wanted }: Wanted) =>
  context.query(findOutgoing, wanted)

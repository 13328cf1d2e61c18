import type { Tx } from '../context.ts'
import { holdSharing as hold } from './store.ts'

/** As `listSharing`, and keeps the bindings as they are until the transaction ends; others who want this do not wait. */
export const holdSharing = async (
  tx: Tx,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> =>
  new Map(
    (await tx.query(hold, { requisiteIds: [...new Set(requisiteIds)] })).map((row) => [row.requisiteId, row.others]),
  )

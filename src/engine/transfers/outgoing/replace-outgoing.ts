import type { Tx } from '../../context.ts'
import { type OutgoingMoney, postUnsent } from '../../../rules/transfers/outgoing.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import type { TransferKey } from '../transfer-parts.ts'
import { setDuplicateOf } from './duplicates/store.ts'
import { findOutgoingRow, markDecided, undecided } from './store.ts'

type By = { readonly actor: string; readonly reason: string }

/** Takes unexplained outgoing transfers out of the ledger by reversing entries: they are the money of others. */
export const takeOut = async (
  tx: Tx,
  duplicates: readonly (OutgoingMoney & { readonly duplicateOf: string })[],
  { actor, reason }: By,
): Promise<void> => {
  for (const { requisiteId, id, duplicateOf } of duplicates)
    await tx.query(setDuplicateOf, { requisiteId, id, duplicateOf })
  const decision = { ...undecided, state: 'duplicate', reason, decidedBy: actor, decidedAt: tx.now } as const
  await tx.query(markDecided, { rows: duplicates.map(({ requisiteId, id }) => ({ requisiteId, id, ...decision })) })
  await postEntries(
    tx,
    duplicates.map((each) => [postUnsent(each)]),
  )
}

/** As `replaceSums`, for outgoing transfers; they must be unexplained, and nobody else may record or explain any. */
export const replaceOutgoing = async (
  tx: Tx,
  sums: readonly (TransferKey & { readonly duplicateOf: string })[],
  by: By,
): Promise<void> => {
  const found: (OutgoingMoney & { readonly duplicateOf: string })[] = []
  for (const { requisiteId, id, duplicateOf } of sums) {
    const [outgoing] = await tx.query(findOutgoingRow, { requisiteId, id })
    if (outgoing?.state !== 'unexplained') throw new Error(`the sum ${id} was explained meanwhile`)
    found.push({ ...outgoing, duplicateOf })
  }
  await takeOut(tx, found, by)
}

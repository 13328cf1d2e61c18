import type { Tx } from '../context.ts'
import { type OutgoingMoney, postUnsent } from '../../rules/transfers/outgoing.ts'
import { ignoreTransfer } from './decisions/decide-transfer.ts'
import { moveDuplicates, setDuplicates } from './duplicates/store.ts'
import { setDuplicateOf } from './outgoing/duplicates/store.ts'
import { findOutgoingRow, markDecided, undecided } from './outgoing/store.ts'
import { postEntries } from '../ledger/post-entries.ts'
import type { Decider, TransferKey } from './transfer-parts.ts'

/** Takes sums out of the books whose payments are recorded. Refuses as `ignoreTransfer` does. */
export const replaceSums = async (
  tx: Tx,
  sums: readonly (TransferKey & { readonly duplicateOf: string })[],
  decider: Decider,
): Promise<void> => {
  if (sums.length === 0) return
  await tx.query(setDuplicates, { rows: sums })
  await tx.query(moveDuplicates, { certain: true, rows: sums })
  for (const sum of sums) await ignoreTransfer(tx, sum, decider)
}

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

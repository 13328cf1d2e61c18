import type { Tx } from '../context.ts'
import { listCalledSame } from './duplicates/store.ts'
import { unassignTransfer } from './unassign-transfer.ts'

/** Returns to the inbox what operators have called the same money as another transfer that a confirmed file lists, too. */
export const returnListed = async (tx: Tx, statement: { readonly id: string; readonly fileName: string }) => {
  const note = `${statement.fileName} lists both: it is other money.`
  for (const key of await tx.query(listCalledSame, { statementId: statement.id }))
    await unassignTransfer(tx, key, { actor: 'service', note, loneReport: () => Promise.resolve(null) })
}

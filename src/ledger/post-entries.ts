import type { Tx } from '../context.ts'
import { balanceChanges, type Posting } from '../domain/ledger.ts'
import { addToBalances, insertPostings } from './store.ts'

const merchantOf = (account: string): string | undefined => /^merchant:([^:]+):/.exec(account)?.[1]

/** Writes ledger transactions, each a list of postings, and moves the balances of their accounts. */
export const postEntries = async (tx: Tx, transactions: readonly (readonly Posting[])[]): Promise<void> => {
  const rows = transactions.flatMap((postings) => {
    const transactionId = tx.newId()
    return postings.map((posting) => ({
      ...posting,
      transactionId,
      id: tx.newId(),
      debitAccount: posting.debit,
      creditAccount: posting.credit,
      documentId: posting.documentId ?? null,
    }))
  })
  if (rows.length === 0) return
  await tx.query(insertPostings, { postedAt: tx.now, rows })
  await tx.query(addToBalances, { rows: balanceChanges(transactions.flat()) })
  const owners = rows.flatMap(({ debit, credit }) => [debit, credit]).flatMap((account) => merchantOf(account) ?? [])
  tx.afterCommit(() => tx.changes.announce('ledger', [...new Set(owners)]))
}

import type { Tx } from '../context.ts'
import { balanceChanges, type Posting } from '../domain/ledger.ts'
import { addToBalances, insertPostings } from './store.ts'

/** Writes ledger transactions, each a list of postings, and moves the balances of their accounts. */
export const postEntries = async (tx: Tx, transactions: readonly (readonly Posting[])[]): Promise<void> => {
  const rows = transactions.flatMap((postings) => {
    const transactionId = tx.newId()
    return postings.map((posting) => ({ ...posting, transactionId, id: tx.newId() }))
  })
  if (rows.length === 0) return
  await tx.query(insertPostings, {
    merchantIds: rows.map((row) => row.merchantId),
    ids: rows.map((row) => row.id),
    transactionIds: rows.map((row) => row.transactionId),
    kinds: rows.map((row) => row.kind),
    debitAccounts: rows.map((row) => row.debit),
    creditAccounts: rows.map((row) => row.credit),
    currencies: rows.map((row) => row.currency),
    amounts: rows.map((row) => row.amount),
    paymentIds: rows.map((row) => row.paymentId),
    transferIds: rows.map((row) => row.transferId),
    documentIds: rows.map((row) => row.documentId ?? null),
    postedAt: tx.now,
  })
  const changes = balanceChanges(rows)
  await tx.query(addToBalances, {
    merchantIds: changes.map((change) => change.merchantId),
    accounts: changes.map((change) => change.account),
    currencies: changes.map((change) => change.currency),
    changes: changes.map((change) => change.change),
  })
}

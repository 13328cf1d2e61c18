import type { Context, Tx } from '../context.ts'
import { balanceChanges, type Posting } from '../domain/ledger.ts'
import { Refusal } from '../domain/refusal.ts'
import { addToBalances, insertPostings } from './store.ts'

const merchantOf = (account: string): string | undefined => /^merchant:([^:]+):/.exec(account)?.[1]

/** Writes ledger transactions, each a list of postings, and moves the balances of their accounts. Refuses `amount_above_max`. */
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
  const changes = balanceChanges(transactions.flat())
  const moved = await tx.query(addToBalances, { rows: changes })
  if (moved.length < changes.length)
    throw new Refusal('amount_above_max', 'The balance of an account would be larger than any that is kept.')
  const owners = rows.flatMap(({ debit, credit }) => [debit, credit]).flatMap((account) => merchantOf(account) ?? [])
  tx.afterCommit(() => tx.changes.announce('ledger', [...new Set(owners)]))
}

class Previewed extends Error {}

/** What a step would write to the ledger, by doing it and undoing all of it. Refuses as the step does. */
export const previewEntries = async (context: Context, step: (tx: Tx) => Promise<unknown>): Promise<Posting[]> => {
  let found: Posting[] = []
  const watch = (tx: Tx): Tx => ({
    ...tx,
    query: (query, parameters) => {
      if ((query as unknown) === insertPostings)
        found.push(...(parameters as unknown as { readonly rows: readonly Posting[] }).rows)
      return tx.query(query, parameters)
    },
  })
  try {
    await context.transaction(async (tx) => {
      found = []
      await step(watch(tx))
      throw new Previewed('previewed')
    })
  } catch (error) {
    if (!(error instanceof Previewed)) throw error
  }
  return found
}

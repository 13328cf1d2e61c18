import type { Context, Tx } from '../context.ts'
import { balanceChanges, type Posting, serviceBook, serviceBooks } from '../../rules/money/ledger.ts'
import { Refusal } from '../../rules/refusal.ts'
import { addToBalances, insertPostings, listSandboxRequisites } from './store.ts'

const merchantOf = (account: string): string | undefined => /^merchant:([^:]+):/.exec(account)?.[1]

/** The same postings, those of simulated money without a merchant in the book of that. */
const inTheirBooks = async (
  tx: Tx,
  transactions: readonly (readonly Posting[])[],
): Promise<readonly (readonly Posting[])[]> => {
  const ids = transactions
    .flat()
    .flatMap(({ merchantId, requisiteId }) =>
      merchantId === serviceBook && requisiteId !== undefined ? [requisiteId] : [],
    )
  if (ids.length === 0) return transactions
  const simulated = new Set((await tx.query(listSandboxRequisites, { ids: [...new Set(ids)] })).map(({ id }) => id))
  if (simulated.size === 0) return transactions
  return transactions.map((postings) =>
    postings.map((each) =>
      each.merchantId === serviceBook && simulated.has(each.requisiteId ?? '')
        ? { ...each, merchantId: serviceBooks.sandbox }
        : each,
    ),
  )
}

/** A transaction in which `postEntries` also notes what it posts, for a preview. */
type NotingTx = Tx & { readonly noted?: Posting[] }

/** Writes ledger transactions and updates the balances of their accounts. Refuses `amount_above_max`. */
export const postEntries = async (tx: NotingTx, given: readonly (readonly Posting[])[]): Promise<void> => {
  const transactions = await inTheirBooks(tx, given)
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
  tx.noted?.push(...transactions.flat())
  const changes = balanceChanges(transactions.flat())
  const moved = await tx.query(addToBalances, { rows: changes })
  if (moved.length < changes.length)
    throw new Refusal('amount_above_max', 'The balance of an account would be larger than the ledger allows.')
  const owners = rows.flatMap(({ debit, credit }) => [debit, credit]).flatMap((account) => merchantOf(account) ?? [])
  tx.afterCommit(() => tx.changes.announce('ledger', [...new Set(owners)]))
}

class Tried extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('tried')
    this.result = result
  }
}

/** The result of a step, which is carried out and rolled back. Refuses as the step does. */
export const tryOut = async <T>(context: Context, step: (tx: Tx) => Promise<T>): Promise<T> => {
  try {
    return await context.transaction(async (tx) => {
      throw new Tried(await step(tx))
    })
  } catch (error) {
    if (error instanceof Tried) return error.result as T
    throw error
  }
}

/** What a step would write to the ledger. Refuses as the step does. */
export const previewEntries = (context: Context, step: (tx: Tx) => Promise<unknown>): Promise<Posting[]> =>
  tryOut(context, async (tx) => {
    const noted: Posting[] = []
    await step({ ...tx, noted } as NotingTx)
    return noted
  })

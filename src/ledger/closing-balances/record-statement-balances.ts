import type { Tx } from '../../context.ts'
import type { Statement } from '../../domain/statement-import.ts'
import { endOfDay } from './record-closing-balance.ts'
import { deleteClosingBalances, findBankDay, upsertClosingBalance } from './store.ts'

/**
 * Stores the closing balances of an imported statement, next to those of other sources. A day that has not begun is left
 * out, and so is an account in another currency: nothing here keeps a file from being imported.
 */
export const recordStatementBalances = async (tx: Tx, statement: Pick<Statement, 'id' | 'fileName' | 'accounts'>) => {
  for (const { requisiteId, currency, closings = [] } of statement.accounts) {
    const [bank] = closings.length > 0 ? await tx.query(findBankDay, { requisiteId }) : []
    if (bank?.currency !== currency) continue
    for (const { day, balance } of closings) {
      const endsAt = endOfDay(day, bank.utcOffsetMinutes, tx.now)
      if (endsAt === undefined) continue
      const closing = { requisiteId, day, currency, balance: BigInt(balance), source: statement.fileName }
      await tx.query(upsertClosingBalance, { ...closing, statementId: statement.id, endsAt, recordedAt: tx.now })
    }
  }
}

/** Deletes the closing balances of a statement whose import is withdrawn. */
export const forgetStatementBalances = (tx: Tx, statementId: string): Promise<unknown> =>
  tx.query(deleteClosingBalances, { statementId })

import type { Tx } from '../../context.ts'
import { endOfDay } from '../../../rules/money/reconciliation.ts'
import { refuseField, requireRow } from '../../../rules/refusal.ts'
import type { StatementAccount } from '../../../rules/statements/statement-import.ts'
import type { Instant } from '../../../rules/time.ts'
import { byHand, deleteClosingBalances, findBankDay, listClosingsBefore, upsertClosingBalance } from './store.ts'

/** What a requisite held at the end of a day, according to its bank; `balance` in minor units. */
type NewClosingBalance = Omit<
  Parameters<typeof upsertClosingBalance.encode>[0],
  'statementId' | 'endsAt' | 'recordedAt' | 'reportedBy'
>

/**
 * Stores a closing balance that an operator, `by`, enters; replaces the one that the same person entered for the day.
 * Refuses `resource_not_found` and, for another currency or a day that has not begun, `validation_failed`.
 */
export const recordClosingBalance = async (tx: Tx, closing: NewClosingBalance, by: string): Promise<void> => {
  const bank = requireRow(await tx.query(findBankDay, { requisiteId: closing.requisiteId }), 'requisite')
  if (bank.currency !== closing.currency) {
    throw refuseField('currency', `must be ${bank.currency}, the requisite's.`)
  }
  const endsAt = endOfDay(closing.day, bank.utcOffsetMinutes, tx.now)
  if (endsAt === undefined) throw refuseField('day', 'is not a day that has begun.')
  await tx.query(upsertClosingBalance, { ...closing, statementId: byHand, endsAt, recordedAt: tx.now, reportedBy: by })
}

/**
 * Stores the closing balances of an imported statement, next to those of other sources. Skips days that have not begun
 * and accounts in another currency: a closing balance never prevents an import.
 */
export const recordStatementBalances = async (
  tx: Tx,
  statement: {
    readonly id: string
    readonly fileName: string
    readonly accounts: readonly StatementAccount[]
    readonly reportedBy: string | null
  },
) => {
  const { id: statementId, fileName: source } = statement
  const reportedBy = statement.reportedBy ?? ''
  for (const { requisiteId, currency, closings } of statement.accounts) {
    const [bank] = closings.length > 0 ? await tx.query(findBankDay, { requisiteId }) : []
    if (bank?.currency !== currency) continue
    for (const { day, balance } of closings) {
      const endsAt = endOfDay(day, bank.utcOffsetMinutes, tx.now)
      if (endsAt === undefined) continue
      const closing = { requisiteId, day, currency, balance: BigInt(balance), source }
      await tx.query(upsertClosingBalance, { ...closing, statementId, endsAt, recordedAt: tx.now, reportedBy })
    }
  }
}

/**
 * Whether a balance at a time continues the last closing balance before it of other statements, or one that somebody alone
 * has said: what one person says does not hide what the bank says.
 */
export const continuesBalance = async (
  tx: Tx,
  at: { readonly statementId: string; readonly requisiteId: string; readonly before: Instant },
  balance: bigint,
): Promise<boolean> => (await tx.query(listClosingsBefore, at)).some((each) => each.balance === balance)

/** Deletes the closing balances of a statement whose import is withdrawn: all, or what one person alone has said. */
export const forgetStatementBalances = (tx: Tx, statementId: string, onlyLone: boolean): Promise<unknown> =>
  tx.query(deleteClosingBalances, { statementId, onlyLone })

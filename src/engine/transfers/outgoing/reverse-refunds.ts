import type { Tx } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { account } from '../../../rules/money/ledger.ts'
import { type OutgoingMoney, postBooked } from '../../../rules/transfers/outgoing.ts'
import { findReversedRefunds, type SentRefund } from '../../../rules/transfers/refund-reversal.ts'
import { day, type Instant } from '../../../rules/time.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { reverseRefund } from '../overpayments/decide-overpayment.ts'
import { reversibleMs } from './candidates/list-candidates.ts'
import { listSentRefunds } from './candidates/store.ts'
import { markDecided } from './store.ts'

type GivenBack = OutgoingMoney & Parameters<typeof findReversedRefunds>[0] & { readonly bookedAt: Instant }

/** Which refunds money given back by the bank may have been, and the certain one, if any. */
export const findRefunds = async (sql: Queryable, money: GivenBack) => {
  const { id: moneyId, requisiteId, amount, bookedAt } = money
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  return findReversedRefunds(
    money,
    await sql.query(listSentRefunds, { rows: [{ moneyId, requisiteId, amount, ...span }] }),
  )
}

/** Books money that came back as a refund that did not reach its payer, who is owed it again. */
export const bookAsRefundReversal = async (
  tx: Tx,
  money: OutgoingMoney,
  { id: documentId, merchantId, paymentId, decisionId }: SentRefund,
  { actor: decidedBy, reason }: { readonly actor: string; readonly reason: string | null },
): Promise<void> => {
  const failure = 'The bank gave the money back.'
  const paidFrom = await reverseRefund(tx, merchantId, decisionId, { actor: decidedBy, failure })
  const { requisiteId, id } = money
  const booking = { state: 'booked', purpose: 'refund-reversal', merchantId, paymentId, documentId, reason } as const
  await tx.query(markDecided, { rows: [{ requisiteId, id, ...booking, decidedBy, decidedAt: tx.now }] })
  // Reversing the refund has put its money on the account a second time.
  await postEntries(tx, [[postBooked(money, account.bank(paidFrom))]])
}

/** Books new money that the bank gave back to the refunds with its reference: their payers are owed it again. */
export const reverseRefunds = async (tx: Tx, added: readonly GivenBack[]): Promise<void> => {
  for (const money of added) {
    if (!money.givenBack || money.bankReference === null) continue
    const { certain } = await findRefunds(tx, money)
    if (certain) await bookAsRefundReversal(tx, money, certain, { actor: 'service', reason: null })
  }
}

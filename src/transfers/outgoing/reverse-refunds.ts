import type { Tx } from '../../context.ts'
import type { Queryable } from '../../database/database.ts'
import { account } from '../../domain/ledger.ts'
import { type OutgoingMoney, postBooked } from '../../domain/outgoing.ts'
import { findReversedRefunds, type SentRefund } from '../../domain/refund-reversal.ts'
import { day, type Instant } from '../../domain/time.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { reverseRefund } from '../overpayments/reverse-refund.ts'
import { listSentRefunds, markBooked } from './store.ts'

/** A bank gives money back this long after it left. */
const reversibleMs = 120 * day

type GivenBack = OutgoingMoney & Parameters<typeof findReversedRefunds>[0] & { readonly bookedAt: Instant }

/** Which refunds money that the bank gave back may have been, and the one that it was for certain. */
export const findRefunds = async (sql: Queryable, money: GivenBack) => {
  const { requisiteId, amount, bookedAt } = money
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  return findReversedRefunds(money, await sql.query(listSentRefunds, { requisiteId, amount, ...span }))
}

/** Says that money which came back is a refund that did not reach its payer, who is owed it again. */
export const bookAsRefundReversal = async (
  tx: Tx,
  money: OutgoingMoney,
  { id: documentId, merchantId, paymentId, decisionId }: SentRefund,
  { actor: decidedBy, reason }: { readonly actor: string; readonly reason: string | null },
): Promise<void> => {
  const paidFrom = await reverseRefund(tx, merchantId, decisionId)
  const { requisiteId, id } = money
  const booking = { purpose: 'refund-reversal', merchantId, paymentId, documentId, reason } as const
  await tx.query(markBooked, { rows: [{ requisiteId, id, ...booking, decidedBy, decidedAt: tx.now }] })
  // Taking the refund back has given the account its money a second time.
  await postEntries(tx, [[postBooked(money, account.bank(paidFrom))]])
}

/** Books new money that the bank gave back to the refunds whose reference it has: their payers are owed it again. */
export const reverseRefunds = async (tx: Tx, added: readonly GivenBack[]): Promise<void> => {
  for (const money of added) {
    if (!money.givenBack || money.bankReference === null) continue
    const { certain } = await findRefunds(tx, money)
    if (certain) await bookAsRefundReversal(tx, money, certain, { actor: 'service', reason: null })
  }
}

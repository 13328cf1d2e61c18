import { mainSenders } from '../../../rules/transfers/announced.ts'
import { senderKind } from '../../../rules/values/account-number.ts'
import type { Context } from '../../context.ts'
import type { PaymentKey } from '../../payments/read.ts'
import { sealedText } from '../../../secrets/sealed-text.ts'
import { openSealed } from '../sealed-transfers.ts'
import { listPayersOfRefunds } from './store.ts'

/** Where a refund goes, as the merchant or the payer has written it. */
export const payTo = sealedText('refunds', 'pay_to_sealed')

type Reading = Pick<Context, 'query' | 'vault'>

/** Everybody who sent money to payments, also what no bank has proven, or what is an overpayment. */
export const readSenders = async (sql: Reading, keys: readonly PaymentKey[]) =>
  (await sql.query(listPayersOfRefunds, { rows: keys })).map(
    ({ transferId, senderSealed, senderNameSealed, ...row }) => ({
      ...row,
      number: openSealed(sql, 'sender_sealed', transferId, senderSealed),
      name: openSealed(sql, 'sender_name_sealed', transferId, senderNameSealed),
    }),
  )

/**
 * Who sent the most of the money that paid for payments, and how much, as banks have reported it, by the ids of the payments. Nobody
 * becomes a payer by an overpayment, or by what only one person or messages on phones report.
 */
export const findPayers = async (sql: Reading, keys: readonly PaymentKey[]) => {
  const proven = (await readSenders(sql, keys)).filter(({ isProven }) => isProven)
  const byPayment = Map.groupBy(proven, ({ paymentId }) => paymentId)
  return new Map([...byPayment].map(([paymentId, senders]) => [paymentId, mainSenders(senders)]))
}

/** Whether a bank's number of a sender is whole: money can be sent to it. */
export const isWholeNumber = (number: string): boolean => senderKind(number) !== undefined

/** Whether a bank has reported the whole number of who paid a payment. */
export const isPayerKnown = async (sql: Reading, key: PaymentKey): Promise<boolean> =>
  ((await findPayers(sql, [key])).get(key.paymentId)?.payers ?? []).some(
    ({ number }) => number !== null && isWholeNumber(number),
  )

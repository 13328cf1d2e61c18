import type { Tx } from '../../context.ts'
import { invalidState, Refusal, requireRow } from '../../../rules/refusal.ts'
import { openSealed } from '../sealed-transfers.ts'
import type { TransferKey } from '../transfer-parts.ts'
import { findReportedText } from '../store.ts'
import { findPayerNumbers } from './store.ts'

/** The whole number of a transfer's sender. Refuses `resource_not_found`, and `invalid_state` without a number. */
export const revealSender = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<string> => {
  const sent = requireRow(await tx.query(findReportedText, { requisiteId, id }), 'transfer')
  const number = openSealed(tx, 'sender_sealed', id, sent.senderSealed)
  if (number === null) throw invalidState('The bank did not report the number of the sender.')
  return number
}

/**
 * The whole number of a payment's payer: the phone that the payer gave, else the first sender who has one. Refuses
 * `payment_not_found`, and `invalid_state` without a number.
 */
export const revealPayer = async (tx: Tx, merchantId: string, paymentId: string): Promise<string> => {
  const [payer] = await tx.query(findPayerNumbers, { merchantId, paymentId })
  if (!payer) throw new Refusal('payment_not_found', 'There is no such payment.')
  const { phoneSealed, transferId, senderSealed } = payer
  const number =
    phoneSealed === null
      ? openSealed(tx, 'sender_sealed', transferId, senderSealed)
      : tx.vault.decrypt(phoneSealed, { table: 'payments', column: 'payer_phone_sealed', row: paymentId })
  if (number === null) throw invalidState('Neither the payer nor a bank has given the number of the payer.')
  return number
}

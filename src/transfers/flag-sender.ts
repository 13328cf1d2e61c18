import type { Tx } from '../context.ts'
import { accountDigits, senderKind } from '../domain/account-number.ts'
import { flagSenders } from '../risk/flag-senders.ts'
import type { PaymentShare } from './assign-shares.ts'
import type { LockedTransfer } from './lock-transfer.ts'
import { findSender } from './store.ts'

/** Judges the sender of an assigned transfer, as `recordTransfers` does for a matched one. Last in its transaction. */
export const flagSender = async (
  tx: Tx,
  { requisiteId, id, currency }: LockedTransfer,
  shares: readonly PaymentShare[],
): Promise<void> => {
  const [sent] = await tx.query(findSender, { requisiteId, id })
  if (!sent || sent.senderSealed === null || sent.senderIndex === null) return
  const number = tx.vault.decrypt(sent.senderSealed, { table: 'transfers', column: 'sender_sealed', row: id })
  const kind = senderKind(number)
  if (kind === undefined) return
  const senderIndexes = tx.vault.blindIndexes('payer', accountDigits(number))
  const sender = { senderIndex: senderIndexes[0] ?? '', senderIndexes, senderKind: kind }
  await flagSenders(
    tx,
    shares.map(({ payment: { merchantId, id: paymentId }, amount }) => ({
      ...{ merchantId, paymentId, currency, amount },
      ...sender,
    })),
  )
}

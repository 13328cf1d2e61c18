import type { Tx } from '../context.ts'
import { senderKind } from '../domain/account-number.ts'
import { flagSenders } from '../risk/flag-senders.ts'
import type { LockedTransfer } from './place-transfer.ts'
import { findSender } from './store.ts'

/** Looks at who sent a transfer that an operator has given to payments, as its report does. Last in its transaction. */
export const flagSender = async (
  tx: Tx,
  { requisiteId, id, currency }: LockedTransfer,
  shares: readonly {
    readonly payment: { readonly merchantId: string; readonly id: string }
    readonly amount: bigint
  }[],
): Promise<void> => {
  const [sent] = await tx.query(findSender, { requisiteId, id })
  if (!sent || sent.senderSealed === null || sent.senderIndex === null) return
  const kind = senderKind(tx.vault.decrypt(sent.senderSealed, { table: 'transfers', column: 'sender_sealed', row: id }))
  if (kind === undefined) return
  const sender = { senderIndex: sent.senderIndex, senderKind: kind }
  await flagSenders(
    tx,
    shares.map(({ payment, amount }) => ({
      ...{ merchantId: payment.merchantId, paymentId: payment.id, currency, amount },
      ...sender,
    })),
  )
}

import type { Tx } from '../context.ts'
import { accountDigits } from '../domain/account-number.ts'

/** The keyed hash of a sender's number, and those by older keys, of which there may still be rows. */
export const indexSender = ({ vault }: Tx, sender: string | null) => {
  const [senderIndex = null, ...olderSenderIndexes] =
    sender === null ? [] : vault.blindIndexes('payer', accountDigits(sender))
  return { senderIndex, olderSenderIndexes }
}

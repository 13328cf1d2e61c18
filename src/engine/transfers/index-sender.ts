import type { Tx } from '../context.ts'
import { accountDigits } from '../../rules/values/account-number.ts'

/** The keyed hashes of a sender's number, by the current key and by older keys that rows may still use. */
export const indexSender = ({ vault }: Tx, sender: string | null) => {
  const [senderIndex = null, ...olderSenderIndexes] =
    sender === null ? [] : vault.blindIndexes('payer', accountDigits(sender))
  return { senderIndex, olderSenderIndexes }
}

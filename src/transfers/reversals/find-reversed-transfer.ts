import type { Tx } from '../../context.ts'
import { accountDigits } from '../../domain/account-number.ts'
import { mayBeSameMoney, sameMoneyMs } from '../../domain/duplicate.ts'
import { day } from '../../domain/time.ts'
import { dedupeKey, type ReportedTransfer } from '../../domain/transfer.ts'
import { lockTransferRow } from '../store.ts'
import { findPartlyReversed, findReversible, listReversedElsewhere, lockByKey, lockReversible } from './store.ts'

/** Banks take transfers back for this long. */
const reversibleMs = 120 * day

type Reversible = ReturnType<typeof findReversible.decode>

/** Whether another channel may have reported this reversal already, under a reference of its own. */
const mayBeReportedElsewhere = async (
  tx: Tx,
  reversal: ReportedTransfer & { readonly senderMasked: string },
): Promise<boolean> => {
  const { requisiteId, amount, bookedAt, source } = reversal
  const span = { since: bookedAt - sameMoneyMs, until: bookedAt + sameMoneyMs }
  const channel = reversal.channel ?? source
  const others = await tx.query(listReversedElsewhere, { requisiteId, amount, channel, ...span })
  return others.some((other) => mayBeSameMoney(reversal, other))
}

const isDoubtful = (found: Reversible, senderIndex: string | null): boolean => {
  // An operator has said which one it is.
  if (found.announcedId !== null) return false
  const isItsSender = senderIndex !== null && found.senderIndex === senderIndex
  return found.duplicateOf !== null || (found.mayHaveDuplicate && !isItsSender)
}

/** The locked transfer that a reference names, or the one it duplicates; none where it is taken back or undecided. */
export const findNamedTransfer = async (tx: Tx, requisiteId: string, id: string): Promise<Reversible | undefined> => {
  const [named] = await tx.query(findReversible, { requisiteId, id })
  if (!named?.isDuplicate) return named?.duplicateOf === null ? named : undefined
  const original = { requisiteId, id: named.duplicateOf ?? '' }
  await tx.query(lockTransferRow, original)
  return (await tx.query(findReversible, original))[0]
}

/**
 * The one transfer that a reversal can mean, locked: by the reference, else by the sender, else the only one of its
 * amount; of several the one whose reversal an operator announced. None where the reference names a larger transfer, where
 * another channel reported a reversal of this amount, or where the transfer may be another channel's.
 */
export const findReversedTransfer = async (
  tx: Tx,
  reversal: ReportedTransfer & { readonly senderMasked: string },
): Promise<Reversible | undefined> => {
  const { requisiteId, amount, bookedAt, bankReference, sender, channel = null } = reversal
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  if (bankReference !== null) {
    const [named] = await tx.query(lockByKey, { requisiteId, dedupeKey: dedupeKey(reversal, 0) })
    if (named) return findNamedTransfer(tx, requisiteId, named.id)
    const { referenceKind = null } = reversal
    const partly = await tx.query(findPartlyReversed, { requisiteId, amount, bankReference, referenceKind, ...span })
    // It takes back a part of that transfer, and so no other one of its amount.
    if (partly.length > 0) return undefined
  }
  const senderIndex = sender === null ? null : tx.vault.blindIndex('payer', accountDigits(sender))
  // A feed uses the reference of its transfer: an unknown one means no transfer that this feed reported.
  const otherThan = bankReference !== null && channel?.startsWith('feed:') ? channel : null
  const locked = await tx.query(lockReversible, { requisiteId, amount, senderIndex, otherThan, ...span })
  // After the locks: whoever was reversing one of these has committed by then.
  if (locked.length === 0 || (await mayBeReportedElsewhere(tx, reversal))) return undefined
  const found: Reversible[] = []
  for (const { id } of locked) {
    const [still] = await tx.query(findReversible, { requisiteId, id })
    // One of them was just decided on, so nobody knows which one is left.
    if (!still || still.isDuplicate) return undefined
    found.push(still)
  }
  const [first, second] = found
  if (!first || isDoubtful(first, senderIndex)) return undefined
  if (!second) return first
  const isAlike = senderIndex === null || second.senderIndex === first.senderIndex
  return isAlike && (first.announcedId === null || second.announcedId !== null) ? undefined : first
}

import type { Tx } from '../../context.ts'
import { accountDigits } from '../../../rules/values/account-number.ts'
import { mayBeSameMoney, sameMoneyMs } from '../../../rules/transfers/duplicate.ts'
import { canTakeBack, chooseReversed, referencesIn, spreadReversal } from '../../../rules/transfers/reversal.ts'
import { day } from '../../../rules/time.ts'
import { dedupeKey, type ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { getTransfer } from '../read.ts'
import { lockTransferRow } from '../store.ts'
import { findReversible, listReversedElsewhere, lockByKey, lockReferred, lockReversible } from './store.ts'

/** Banks may reverse transfers for this long. */
const reversibleMs = 120 * day

type Reversible = ReturnType<typeof findReversible.decode>

type ComparedReversal = Pick<
  ReportedTransfer,
  'requisiteId' | 'amount' | 'bookedAt' | 'bankReference' | 'referenceKind' | 'channel'
> & { readonly source: string; readonly senderMasked: string }

/** Whether another channel may have reported this reversal under another reference, or a file with another text. */
const mayBeReportedElsewhere = async (
  tx: Tx,
  reversal: ComparedReversal,
  keys: readonly string[],
): Promise<boolean> => {
  const { requisiteId, amount, bookedAt, source, bankReference } = reversal
  // Equal parts of a transfer may be reversed under its one reference.
  const earlierThan = bankReference === null ? source : null
  const span = { since: bookedAt - sameMoneyMs, until: bookedAt + sameMoneyMs }
  const channel = reversal.channel ?? source
  const others = await tx.query(listReversedElsewhere, { requisiteId, amount, channel, earlierThan, keys, ...span })
  return others.some((other) => mayBeSameMoney(reversal, other))
}

/** A locked transfer, or the one that it duplicates; `undefined` if it was reversed or is an undecided duplicate. */
const findOriginal = async (tx: Tx, requisiteId: string, id: string): Promise<Reversible | undefined> => {
  const [found] = await tx.query(findReversible, { requisiteId, id })
  if (!found?.isDuplicate) return found?.duplicateOf === null ? found : undefined
  const original = { requisiteId, id: found.duplicateOf ?? '' }
  await tx.query(lockTransferRow, original)
  return (await tx.query(findReversible, original))[0]
}

/** The transfer with a reversal's reference, locked, if enough is left and it is clear which payment loses money. */
export const findWithReference = async (
  tx: Tx,
  reversal: ComparedReversal,
  id: string,
): Promise<Reversible | undefined> => {
  const { requisiteId, amount } = reversal
  const found = await findOriginal(tx, requisiteId, id)
  if (!found || !canTakeBack(found, amount)) return undefined
  const transfer = await getTransfer(tx, { requisiteId, id: found.id })
  if (found.announcedId !== null || transfer.amount === amount) return found
  const { isCertain } = spreadReversal(transfer.parts, amount)
  return isCertain && !(await mayBeReportedElsewhere(tx, reversal, [])) ? found : undefined
}

/** Locks what a reference means: transfers of the amount, else larger ones, else those that the text names. */
const lockMeant = async (tx: Tx, reversal: ReportedTransfer): Promise<string[]> => {
  const { requisiteId, amount, bookedAt, bankReference, referenceKind = null, text } = reversal
  const span = { requisiteId, since: bookedAt - reversibleMs, until: bookedAt + day }
  const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)
  if (bankReference !== null) {
    const equal = await tx.query(lockByKey, { requisiteId, dedupeKey: dedupeKey(reversal, 0) })
    if (equal.length > 0) return idsOf(equal)
    const larger = { references: [bankReference], least: amount + 1n, referenceKind }
    const found = await tx.query(lockReferred, { ...span, ...larger })
    if (found.length > 0) return idsOf(found)
  }
  const references = referencesIn(text ?? '')
  if (references.length === 0) return []
  return idsOf(await tx.query(lockReferred, { ...span, references, least: amount, referenceKind: null }))
}

/**
 * The one transfer that a reversal can mean, locked: by its own reference or one that its text names, also for a part
 * of it; else by the sender; else the only one of its amount. Among several, the one whose reversal an operator
 * announced. `undefined` if less is left, if it is unclear which payment loses money, or if another channel may have
 * reported the reversal or the transfer.
 */
export const findReversedTransfer = async (
  tx: Tx,
  reversal: ReportedTransfer & { readonly senderMasked: string },
  keys: readonly string[],
): Promise<Reversible | undefined> => {
  const { requisiteId, amount, bookedAt, bankReference, sender, channel = null } = reversal
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  const [only, other] = await lockMeant(tx, reversal)
  // It means one of these, so it cannot mean another transfer of its amount.
  if (only !== undefined) return other === undefined ? findWithReference(tx, reversal, only) : undefined
  const senderIndexes = sender === null ? null : tx.vault.blindIndexes('payer', accountDigits(sender))
  const isSender = (each: Reversible): boolean => senderIndexes?.includes(each.senderIndex ?? '') ?? false
  // A feed uses the reference of its transfer: if the reference is unknown, this feed did not report the transfer.
  const otherThan = bankReference !== null && channel?.startsWith('feed:') ? channel : null
  const locked = await tx.query(lockReversible, { requisiteId, amount, senderIndexes, otherThan, ...span })
  // After the locks: a concurrent reversal of one of these has committed by then.
  if (locked.length === 0 || (await mayBeReportedElsewhere(tx, reversal, keys))) return undefined
  const found: Reversible[] = []
  for (const { id } of locked) {
    const [still] = await tx.query(findReversible, { requisiteId, id })
    // One of them has just been decided on, so it is unclear which one is left.
    if (!still || still.isDuplicate || !canTakeBack(still, amount)) return undefined
    found.push(still)
  }
  return chooseReversed(found, senderIndexes === null ? undefined : isSender)
}

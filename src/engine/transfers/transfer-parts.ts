import type { Tx } from '../context.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { invalidState } from '../../rules/refusal.ts'
import { type Credits, creditPayments } from '../payments/credit-payments.ts'
import { type PaymentChanges, startChanges } from '../payments/start-changes.ts'
import { isPhoneReporter, type LoneReport } from '../../rules/money/settlement.ts'
import { noteProof } from './duplicates/note-proof.ts'
import { findSentAs } from './outgoing/store.ts'
import { getTransfer } from './read.ts'
import {
  endParts,
  insertParts,
  listTransfersOf,
  lockTransferRow,
  openCase,
  resolveCase,
  type TransferPart,
} from './store.ts'

export type TransferKey = { readonly requisiteId: string; readonly id: string }

export type LockedTransfer = Awaited<ReturnType<typeof getTransfer>>

/**
 * Locks a transfer against other decisions; lock its payments first. Refuses `resource_not_found`, and `invalid_state`
 * while the statement that brought it is being withdrawn.
 */
export const lockTransfer = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<LockedTransfer> => {
  await tx.query(lockTransferRow, { requisiteId, id })
  const transfer = await getTransfer(tx, { requisiteId, id })
  if (transfer.beingWithdrawn) throw invalidState('The statement that brought this transfer is being withdrawn.')
  return transfer
}

/** How much of a transfer waits in the inbox, in minor units. Refuses `invalid_state` if nothing does. */
export const waitingAmount = ({ parts }: LockedTransfer): bigint => {
  const waiting = parts.reduce((sum, part) => (part.kind === 'suspense' ? sum + part.amount : sum), 0n)
  if (waiting === 0n) throw invalidState('The transfer does not wait in the inbox: something was decided about it.')
  return waiting
}

/** Whether a transfer waits as the possible duplicate of another one, and nobody has decided that yet. */
export const waitsAsDuplicate = ({ duplicateOf, parts }: LockedTransfer): boolean =>
  duplicateOf !== null && parts.every(({ kind }) => kind === 'suspense')

/** Whether it is money because one operator has reported it, and not because of what one has said about it later. */
export const isReportedAlone = ({ reportedAloneAt, recordedAt }: LockedTransfer): boolean =>
  reportedAloneAt === recordedAt

/** Whether it stands on one operator's word beyond the bound, and no other operator has assigned it. */
export const isUnconfirmed = (transfer: LockedTransfer): boolean => {
  const { secondPerson, duplicateOf, parts } = transfer
  if (!secondPerson || parts.some(({ kind }) => ['payment', 'overpayment', 'reversed'].includes(kind))) return false
  return isReportedAlone(transfer) || duplicateOf !== null
}

/**
 * Refuses `invalid_state` for a transfer that is not confirmed, or may be the same money as another: a bank takes back
 * only what came, and only once. Refuses `second_person_required` if only the decider wants to use it again.
 */
export const refuseUnconfirmed = async (
  tx: Tx,
  transfer: LockedTransfer,
  { refuseOnePerson }: Pick<Assigner, 'refuseOnePerson'>,
): Promise<void> => {
  const { secondPerson, reportedBy, duplicateOf, parts } = transfer
  if (isUnconfirmed(transfer))
    throw invalidState(
      'One operator alone, or a message on a phone, has reported this transfer, so it is not certain that it came: name the one that the bank reported, or let another operator assign this one first.',
    )
  if (waitsAsDuplicate(transfer))
    throw invalidState(
      `It may be the same money as transfer ${duplicateOf}: name that one, or decide first that this one is other money.`,
    )
  const isWaiting = parts.some(({ kind }) => kind === 'suspense')
  if (secondPerson && isWaiting && reportedBy !== null && !isPhoneReporter(reportedBy))
    await refuseOnePerson(tx, reportedBy)
}

/** Refuses `invalid_state` if a locked transfer is booked as the other side of outgoing money between own accounts. */
export const refuseOtherSide = async (tx: Tx, { id: transferId }: { readonly id: string }): Promise<void> => {
  const [sent] = await tx.query(findSentAs, { transferId })
  if (!sent) return
  throw invalidState(
    `It is the other side of outgoing transfer ${sent.id}, between own accounts: unbook that one first.`,
  )
}

export type Decider = { readonly actor: string; readonly note: string | null }

/**
 * Who may give money to payments. `refuseOnePerson` refuses unless `author` is certainly another person; `loneReport`
 * is the bound of what stands on the decider's word alone, null if there is none.
 */
export type Assigner = Decider & {
  readonly refuseOnePerson: (tx: Tx, author: string) => Promise<void>
  readonly loneReport: (tx: Tx) => Promise<LoneReport | null>
}

/** A part of a transfer as its decider creates it. */
export const decidedPart = (
  kind: TransferPart['kind'],
  amount: bigint,
  payment: { readonly merchantId: string; readonly id: string } | null,
  outcome: TransferPart['outcome'],
  { actor, note }: Decider,
): TransferPart => ({
  kind,
  amount,
  reversedAmount: 0n,
  merchantId: payment?.merchantId ?? null,
  paymentId: payment?.id ?? null,
  outcome,
  reasons: note === null ? [] : [note],
  by: actor,
  note,
})

/** Replaces the parts of a locked transfer, and opens or resolves its case by what then waits in the inbox. */
export const writeParts = async (
  tx: Tx,
  { requisiteId, id: transferId, duplicateOf, parts: before }: LockedTransfer,
  parts: readonly TransferPart[],
): Promise<void> => {
  const key = { requisiteId, transferId, now: tx.now }
  const last = Math.max(...(await tx.query(endParts, key)).map(({ number }) => number))
  const rows = parts.map((part, index) => ({ ...key, ...part, number: last + 1 + index, decidedBy: part.by }))
  await tx.query(insertParts, { rows, now: tx.now })
  await tx.query(parts.some(({ kind }) => kind === 'suspense') ? openCase : resolveCase, key)
  const isOrWas = [...before, ...parts].some(({ kind }) => kind === 'duplicate')
  if (isOrWas) await noteProof(tx, [{ requisiteId, id: transferId, duplicateOf }])
}

/** What a decision about transfers changes: locked payments, and the money credited to them. */
export type Books = { readonly changes: PaymentChanges; readonly credits: Credits }

/** Opens the books for a decision of `actor`; `changes.write` writes all of it. */
export const openBooks = (tx: Tx, actor: string): Books => {
  const changes = startChanges(tx, actor)
  return { changes, credits: creditPayments(tx, changes) }
}

const reason = 'the whole amount came after it'

/** A part, made an overpayment of its payment. */
export const owedPart = (part: TransferPart): TransferPart => ({
  ...part,
  kind: 'overpayment',
  reasons: [...part.reasons, reason],
  by: 'service',
})

/** Owes the payer what a locked, uncredited payment received before: the whole amount has come, which is too much. */
export const oweParts = async (tx: Tx, credits: Credits, payment: Payment): Promise<void> => {
  const { merchantId, id: paymentId } = payment
  for (const key of await tx.query(listTransfersOf, { merchantId, paymentId })) {
    await tx.query(lockTransferRow, key)
    const transfer = await getTransfer(tx, key)
    const parts = transfer.parts.map((part) => {
      if (part.kind !== 'payment' || part.paymentId !== paymentId) return part
      const { amount } = part
      credits.owe(payment, { transferId: transfer.id, requisiteId: transfer.requisiteId, amount })
      return owedPart(part)
    })
    await writeParts(tx, transfer, parts)
  }
}

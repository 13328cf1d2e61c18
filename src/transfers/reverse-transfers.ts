import type { Tx } from '../context.ts'
import { accountDigits } from '../domain/account-number.ts'
import { account, postReturn, postReversal } from '../domain/ledger.ts'
import { maskSource } from '../domain/masking.ts'
import { day } from '../domain/time.ts'
import type { ReportedTransfer } from '../domain/transfer.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { startChanges } from '../payments/start-changes.ts'
import type { LockedTransfer } from './place-transfer.ts'
import { onFirstRequisite } from './record-transfers.ts'
import {
  insertReversals,
  listParts,
  listReversalsByKey,
  lockReversible,
  returnAllocations,
  setReversed,
} from './store.ts'

/** A booking of the bank that takes an earlier transfer back; its reference is that of the transfer, where it has one. */
export type ReportedReversal = ReportedTransfer & { readonly dedupeKey: string }

/** What a reversal took back: `null` where no transfer, or more than one, could be meant. */
export type RecordedReversal = { readonly transferId: string | null; readonly repeated: boolean }

/** Banks take transfers back for so long. */
const reversibleMs = 120 * day

const keyOf = ({ requisiteId, dedupeKey }: { requisiteId: string; dedupeKey: string }): string =>
  `${requisiteId} ${dedupeKey}`

/** The one transfer that a reversal can mean: by the reference, else by the sender, else the only one of its amount. */
const findReversed = async (tx: Tx, reversal: ReportedReversal): Promise<string | undefined> => {
  const { requisiteId, amount, bookedAt, bankReference, sender } = reversal
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  const found = await tx.query(lockReversible, { requisiteId, amount, ...span })
  const referred = found.filter((each) => bankReference !== null && each.bankReference === bankReference)
  if (referred.length > 0) return referred[0]?.id
  const index = sender === null ? null : tx.vault.blindIndex('payer', accountDigits(sender))
  const sent = found.filter((each) => index !== null && each.senderIndex === index)
  const meant = sent.length > 0 ? sent : found
  return meant.length === 1 ? meant[0]?.id : undefined
}

/** Whether a locked transfer is at the bank still, for all that is known. */
export const isReversible = async (tx: Tx, { id, requisiteId, amount, bookedAt }: LockedTransfer): Promise<boolean> => {
  const found = await tx.query(lockReversible, { requisiteId, amount, since: bookedAt, until: bookedAt })
  return found.some((each) => each.id === id)
}

/** Takes the parts of a transfer back, each from where it went. */
export const takeBack = async (
  tx: Tx,
  reversal: Pick<ReportedReversal, 'requisiteId' | 'currency'>,
  transferId: string,
): Promise<void> => {
  const { requisiteId, currency } = reversal
  const changes = startChanges(tx, 'bank')
  const returned: number[] = []
  for (const { part, kind, amount, merchantId, paymentId } of await tx.query(listParts, { requisiteId, transferId })) {
    const leaving = { transferId, requisiteId, amount }
    if (kind === 'suspense' || kind === 'ignored') {
      returned.push(part)
      await postEntries(tx, [[postReturn(null, currency, leaving, account[kind])]])
    } else if (kind !== 'returned' && merchantId !== null && paymentId !== null) {
      const payment = await lockPayment(tx, merchantId, paymentId)
      if (!payment) throw new Error(`transfer ${transferId}: its payment is unknown`)
      if (kind === 'payment' && (payment.status === 'processing' || payment.status === 'disput')) {
        // Not credited, or not any more: the payment goes on waiting for its money, or for its decision.
        returned.push(part)
        changes.amend(payment, { received: changes.current(payment).received - amount })
        changes.post([postReturn(payment, currency, leaving)])
      } else {
        if (kind === 'overpayment') returned.push(part)
        changes.post([postReversal(payment, kind, currency, leaving)])
      }
    }
  }
  if (returned.length > 0) {
    const keys = { requisiteIds: [requisiteId], transferIds: [transferId] }
    await tx.query(returnAllocations, { ...keys, parts: returned, now: tx.now, reportAgain: false })
  }
  await changes.write()
}

/**
 * Records what a bank took back, and corrects the ledger by reversing entries; answers each at its place. What was
 * reported before changes nothing. A credited payment stays credited: what it lost stands in the ledger for its merchant.
 * A reversal that can mean no transfer, or several, moves nothing: it waits for an operator.
 */
export const reverseTransfers = async (tx: Tx, reversals: readonly ReportedReversal[]): Promise<RecordedReversal[]> => {
  if (reversals.length === 0) return []
  const rows = (await onFirstRequisite(tx, reversals)).map((reversal) => ({ ...reversal, id: tx.newId() }))
  const inserted = await tx.query(insertReversals, {
    requisiteIds: rows.map((row) => row.requisiteId),
    ids: rows.map((row) => row.id),
    dedupeKeys: rows.map((row) => row.dedupeKey),
    currencies: rows.map((row) => row.currency),
    amounts: rows.map((row) => row.amount),
    bookedAts: rows.map((row) => row.bookedAt),
    sources: rows.map((row) => row.source),
    bankReferences: rows.map((row) => row.bankReference),
    sendersMasked: rows.map((row) => maskSource(row.sender ?? '')),
    recordedAt: tx.now,
  })
  const fresh = new Set(inserted.map((row) => row.id))
  for (const row of rows.filter((each) => fresh.has(each.id))) {
    const transferId = await findReversed(tx, row)
    if (transferId === undefined) continue
    await tx.query(setReversed, { requisiteId: row.requisiteId, id: row.id, transferId })
    await takeBack(tx, row, transferId)
  }
  const known = await tx.query(listReversalsByKey, {
    requisiteIds: rows.map((row) => row.requisiteId),
    dedupeKeys: rows.map((row) => row.dedupeKey),
  })
  const transfers = new Map(known.map((row) => [keyOf(row), row.transferId]))
  return rows.map((row) => ({ transferId: transfers.get(keyOf(row)) ?? null, repeated: !fresh.has(row.id) }))
}

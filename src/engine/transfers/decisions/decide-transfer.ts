import type { Context, Tx } from '../../context.ts'
import { currencyDecimals, parseDecimal } from '../../../rules/values/currency.ts'
import { type Posting, postIgnored } from '../../../rules/money/ledger.ts'
import { creditedStatuses } from '../../../rules/payments/payment.ts'
import { invalidState, orRefusal, Refusal } from '../../../rules/refusal.ts'
import type { DecisionWord } from '../../../rules/transfers/transfer.ts'
import { type Made, recordSingle } from '../../decisions/record-decision.ts'
import { revokeResult } from '../../decisions/revoke-result.ts'
import { tryOut } from '../../ledger/post-entries.ts'
import { type Assigned, assignTransfer, type Share } from '../assign-transfer.ts'
import {
  type Assigner,
  type Decider,
  decidedPart,
  type LockedTransfer,
  lockTransfer,
  openBooks,
  type TransferKey,
  waitingAmount,
  waitsAsDuplicate,
  writeParts,
} from '../transfer-parts.ts'
import { findFileOfBoth } from '../duplicates/store.ts'
import { getTransfer } from '../read.ts'
import { isCalledSeparate, noteLoneWord } from '../lone-reports/hold-lone-reports.ts'
import type { TransferPart } from '../store.ts'
import { type Unassigner, unassignTransfer } from '../unassign-transfer.ts'
import { countParts, markParked } from './store.ts'

export type TransferDecision =
  | { readonly word: 'assign'; readonly shares: readonly Share[] }
  | { readonly word: Exclude<DecisionWord, 'assign'> }

/** What a decision would do, and why it could not be revoked afterwards; null if it could. */
export type PreviewedDecision = Omit<Assigned, 'made'> & { readonly whyIrrevocable: string | null }

type Suggested = {
  readonly merchantId: string
  readonly paymentId: string
  readonly split?: readonly { readonly merchantId: string; readonly paymentId: string; readonly amount: string }[]
}

/** The shares that a suggestion makes of a transfer: all that waits, or a part for each of several payments. */
const sharesOf = ({ merchantId, paymentId, split }: Suggested, currency: string): readonly Share[] => {
  if (!split) return [{ merchantId, paymentId, amount: null }]
  const decimals = currencyDecimals(currency)
  return split.map((share) => {
    const amount = parseDecimal(share.amount, decimals)
    if (typeof amount !== 'bigint') throw new Error(`a suggested share of payment ${paymentId} is ${share.amount}`)
    return { ...share, amount }
  })
}

/**
 * Assigns a transfer as its first suggestion says. Refuses `invalid_state` if the payment has been paid since: its
 * money would be owed to the payer, and perhaps another payment still waits for it.
 */
const acceptSuggestion = async (tx: Tx, key: TransferKey, decider: Assigner): Promise<Assigned> => {
  const transfer = await getTransfer(tx, key)
  const [first] = transfer.suggestions ?? []
  if (!first) throw invalidState('No payment is suggested for this transfer.')
  const shares = sharesOf(first, transfer.currency)
  const done = await assignTransfer(tx, key, shares, decider)
  for (const { before } of done.payments) {
    if (creditedStatuses.has(before.status) && before.changedAt > transfer.recordedAt)
      throw invalidState(`${before.orderId} was suggested and has been paid since: assign the transfer to a payment.`)
  }
  return done
}

/** Refuses `ignore` for a possible duplicate, whose money must be named, and decisions about duplicates for others. */
const refuseUnclear = (transfer: LockedTransfer, word: DecisionWord): void => {
  const isDoubtful = waitsAsDuplicate(transfer)
  if (word === 'ignore' && isDoubtful)
    throw invalidState(
      `It may be the same money as transfer ${transfer.duplicateOf}: decide same-money or other-money.`,
    )
  if (word !== 'ignore' && !isDoubtful) throw invalidState('The transfer does not wait as a possible duplicate.')
}

/**
 * Decides about a transfer in the inbox. `same-money` and `other-money` are for possible duplicates only, and `ignore`
 * for all others. Refuses as `assignTransfer` and `ignoreTransfer` do.
 */
export const decideTransfer = async (
  tx: Tx,
  key: TransferKey,
  decision: TransferDecision,
  decider: Assigner,
): Promise<Assigned> => {
  if (decision.word === 'accept') return acceptSuggestion(tx, key, decider)
  if (decision.word === 'assign') return assignTransfer(tx, key, decision.shares, decider)
  if (decision.word === 'park' || decision.word === 'unpark') {
    await parkTransfer(tx, key, decider, decision.word === 'park')
    return { postings: [], payments: [], made: 0 }
  }
  refuseUnclear(await lockTransfer(tx, key), decision.word)
  const postings = await ignoreTransfer(tx, key, decider, decision.word === 'other-money')
  return { postings, payments: [], made: 1 }
}

/** What a decision has done with a locked transfer by making `made` parts of it: what revoking it needs to know. */
export const doneWith = async (tx: Tx, { requisiteId, id: transferId }: TransferKey, made: number): Promise<Made> => {
  const [parts] = await tx.query(countParts, { requisiteId, transferId })
  if (!parts) throw new Error(`transfer ${transferId} has no parts`)
  return { state: 'done', keptParts: parts.current - made, lastPart: parts.last }
}

/** Records a decision that a request about this one transfer has carried out, and returns its id. */
export const recordDecision = async (
  tx: Tx,
  key: TransferKey,
  word: DecisionWord,
  made: number,
  actor: string,
): Promise<string> =>
  recordSingle(tx, { ownerId: key.requisiteId, id: key.id, word }, await doneWith(tx, key, made), actor)

/** Carries a decision out, revokes it, and rolls back both. Refuses as `decideTransfer` does. */
export const previewDecision = (
  context: Context,
  key: TransferKey,
  decision: TransferDecision,
  decider: Assigner,
): Promise<PreviewedDecision> =>
  tryOut(context, async (tx) => {
    const { made, ...done } = await decideTransfer(tx, key, decision, decider)
    const decisionId = await recordDecision(tx, key, decision.word, made, decider.actor)
    return { ...done, whyIrrevocable: await tryRevoking(tx, decisionId, key, decider) }
  })

/**
 * Marks a transfer as parked, or not; any other decision removes the mark. Refuses `resource_not_found`, and
 * `invalid_state` if the transfer does not wait or has no mark to remove.
 */
const parkTransfer = async (tx: Tx, key: TransferKey, decider: Decider, isParked: boolean): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  waitingAmount(transfer)
  if (!isParked && transfer.parkedAt === null) throw invalidState('The transfer is not parked.')
  await tx.query(markParked, {
    requisiteId: key.requisiteId,
    transferId: key.id,
    at: isParked ? tx.now : null,
    by: isParked ? decider.actor : null,
    because: isParked ? decider.note : null,
  })
}

type SuggestionEffect = PreviewedDecision | { readonly refused: string }

/** Previews each suggestion of a transfer, in their order; changes nothing. */
export const previewSuggestions = async (
  context: Context,
  key: TransferKey,
  { currency, suggestions }: { readonly currency: string; readonly suggestions: readonly Suggested[] | null },
  decider: Assigner,
): Promise<SuggestionEffect[]> => {
  const effects: SuggestionEffect[] = []
  for (const suggestion of suggestions ?? []) {
    try {
      const decision = { word: 'assign', shares: sharesOf(suggestion, currency) } as const
      effects.push(await previewDecision(context, key, decision, decider))
    } catch (error) {
      // A suggested split may exceed what still waits; that must not make the whole answer fail.
      if (!(error instanceof Refusal)) throw error
      effects.push({ refused: error.message })
    }
  }
  return effects
}

/** Refuses `invalid_state` to call a transfer the money of another one that a confirmed file lists next to it. */
const refuseListedTogether = async (tx: Tx, { requisiteId, id }: TransferKey, otherId: string): Promise<void> => {
  const [file] = await tx.query(findFileOfBoth, { requisiteId, id, otherId })
  if (file) throw invalidState(`${file.fileName} lists both it and transfer ${otherId}: it is other money.`)
}

/** Keeps the transfer that a duplicate repeats from being withdrawn while the duplicate's money leaves the ledger. */
const lockOriginal = async (tx: Tx, requisiteId: string, id: string): Promise<void> => {
  const { parts } = await lockTransfer(tx, { requisiteId, id })
  if (parts.every(({ kind }) => kind === 'withdrawn')) {
    throw invalidState(
      `Transfer ${id} was withdrawn with its statement, so its money is here: ignore this transfer as other money.`,
    )
  }
}

/**
 * Sets aside what waits of a transfer, because it belongs to no payment. A possible duplicate is then the other
 * transfer's money and leaves the ledger, unless `isOtherMoney` or a part of it was assigned. Returns the ledger
 * entries. Refuses `resource_not_found` and `invalid_state`.
 */
export const ignoreTransfer = async (
  tx: Tx,
  key: TransferKey,
  decider: Decider & Partial<Pick<Assigner, 'loneReport'>>,
  isOtherMoney = false,
): Promise<readonly Posting[]> => {
  const transfer = await lockTransfer(tx, key)
  const amount = waitingAmount(transfer)
  const { id: transferId, requisiteId, currency, duplicateOf } = transfer
  const { changes, credits } = openBooks(tx, decider.actor)
  const isDuplicate = duplicateOf !== null && !isOtherMoney && waitsAsDuplicate(transfer)
  if (isDuplicate) {
    if (decider.actor !== 'service') await refuseListedTogether(tx, transfer, duplicateOf)
    await lockOriginal(tx, requisiteId, duplicateOf)
    credits.release(currency, { transferId, requisiteId, amount })
  } else changes.post([postIgnored(currency, { transferId, requisiteId, amount })])
  // Whoever reported it still may not assign it: that another one calls it separate does not mean that it came.
  const isOfAnother = transfer.reportedBy !== null && transfer.reportedBy !== decider.actor
  const isNews = isOtherMoney && !isOfAnother && !(await isCalledSeparate(tx, transfer, decider.actor))
  const lone = isNews ? await decider.loneReport?.(tx) : null
  if (lone) await noteLoneWord(tx, lone, transfer)
  await changes.write()
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense')
  const part = decidedPart(isDuplicate ? 'duplicate' : 'ignored', amount, null, 'ignored', decider)
  await writeParts(tx, transfer, [...kept, part])
  return changes.postings()
}

/**
 * Revokes what a decision did with one transfer, by reversing entries. Refuses as `revokeResult` does, `invalid_state` if
 * something was decided about the transfer since, and as `unassignTransfer` does.
 */
export const revokeDecided = (tx: Tx, decisionId: string, key: TransferKey, decider: Unassigner): Promise<void> =>
  revokeResult(tx, { decisionId, ownerId: key.requisiteId, id: key.id }, async ({ word, keptParts, lastPart }) => {
    if (word === 'unpark') throw invalidState('Park the transfer again instead.')
    const [parts] = await tx.query(countParts, { requisiteId: key.requisiteId, transferId: key.id })
    if (parts?.last !== lastPart) throw invalidState('Something was decided about this transfer since.')
    if (word === 'park') return parkTransfer(tx, key, decider, false)
    const madeParts = ({ parts: all }: LockedTransfer): readonly TransferPart[] =>
      all.slice(keptParts).filter(({ kind }) => kind !== 'suspense')
    await unassignTransfer(tx, key, decider, madeParts)
  })

/** Revokes a decision about a transfer, or returns why it cannot be revoked. Its transaction must be rolled back. */
const tryRevoking = async (
  tx: Tx,
  decisionId: string,
  key: TransferKey,
  decider: Unassigner,
): Promise<string | null> => {
  const refused = await orRefusal(['invalid_state'], () => revokeDecided(tx, decisionId, key, decider))
  return refused?.message ?? null
}

/** Why a decision about a transfer can no longer be revoked, or null. Finds out by revoking it and rolling back. */
export const whyIrrevocable = (
  context: Context,
  decisionId: string,
  key: TransferKey,
  decider: Unassigner,
): Promise<string | null> => tryOut(context, (tx) => tryRevoking(tx, decisionId, key, decider))

import { usdt } from '../values/currency.ts'
import { account, type Posting, posting } from './ledger.ts'
import { invalidState, Refusal } from '../refusal.ts'
import type { Instant } from '../time.ts'

export const adjustmentStatuses = ['draft', 'posted', 'rejected'] as const
export type AdjustmentStatus = (typeof adjustmentStatuses)[number]

/**
 * A posting that no payment or settlement explains: money that left or reached a bank account, a bank's charge, a
 * favour to a merchant, or the opposite of a wrong adjustment. One operator drafts it; another one posts it.
 */
export type Adjustment = {
  /** The book that it is posted in: the merchant's, or the service's. */
  readonly merchantId: string
  readonly id: string
  readonly reference: string
  readonly debitAccount: string
  readonly creditAccount: string
  readonly currency: string
  readonly amount: bigint
  readonly reason: string
  /** When it happened at the bank. */
  readonly bookedAt: Instant
  readonly status: AdjustmentStatus
  readonly draftedBy: string
  readonly decidedBy: string | null
  readonly createdAt: Instant
  readonly decidedAt: Instant | null
}

/** Whether an account is what the payer of a payment is owed. */
export const isOverpayment = (name: string): boolean => name.startsWith('overpayment:')

/**
 * Whether adjustments may use an account in a currency, with another one on the other side. Money that belongs to payers
 * and settlements has separate rules: what a payer is owed can only be written off, or be owed again; suspense, held and
 * paid-out balances cannot be adjusted.
 */
export const isAdjustable = (name: string, other: string, merchantId: string, currency: string): boolean => {
  if ([account.fees, account.available(merchantId), account.rounding].includes(name) || /^fx:[a-z]{3}$/.test(name))
    return true
  if (currency === usdt) return false
  return isOverpayment(name)
    ? other === account.writtenOff
    : name === account.writtenOff || /^(bank|reversed):/.test(name)
}

/** The posting of an adjustment. */
export const postAdjustment = (adjustment: Adjustment): Posting => {
  const { merchantId, id: documentId, debitAccount, creditAccount } = adjustment
  const paymentId = [debitAccount, creditAccount].find(isOverpayment)?.split(':')[1] ?? null
  return posting('adjust', [debitAccount, creditAccount], adjustment, { merchantId, documentId, paymentId })
}

/**
 * The adjustment after an operator's decision; unchanged if the same decision was made before. Refuses `invalid_state`,
 * and `second_person_required` if its author posts it.
 */
export const adjustmentAfter = (
  adjustment: Adjustment,
  status: Exclude<AdjustmentStatus, 'draft'>,
  actor: string,
  now: Instant,
): Adjustment | Refusal => {
  if (adjustment.status === status) return adjustment
  if (adjustment.status !== 'draft') {
    return invalidState(`The adjustment is already ${adjustment.status}.`)
  }
  if (status === 'posted' && actor === adjustment.draftedBy) {
    return new Refusal('second_person_required', 'An adjustment must be posted by an operator other than its author.')
  }
  return { ...adjustment, status, decidedBy: actor, decidedAt: now }
}

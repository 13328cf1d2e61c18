import type { Candidate } from '../../src/rules/transfers/candidate.ts'
import { defaultTerms, type LockedTerms } from '../../src/rules/merchants/merchant.ts'
import type { Payment } from '../../src/rules/payments/payment.ts'
import { usdt } from '../../src/rules/values/currency.ts'
import { quoteAmount } from '../../src/rules/money/rate.ts'
import {
  noRequisiteLimits,
  type Requisite,
  type RequisiteLimits,
  type RequisiteWish,
} from '../../src/rules/requisites/requisite.ts'
import { day, minute } from '../../src/rules/time.ts'

/** The time at which the payments of the builders are created. */
export const start = Date.parse('2026-01-31T12:00:00.000Z')

/** Default terms, but with a day for late money, and the bounds of the test currency: 100 to 300 000 rub. */
export const terms = (fields: Partial<LockedTerms> = {}): LockedTerms => ({
  ...defaultTerms('sbp'),
  lateWindowMs: day,
  minMinor: 100_00n,
  maxMinor: 300_000_00n,
  ...fields,
})

/** A new direct payment of 5000 rub, by default created at `start` with 30 minutes to pay. */
export const payment = (fields: Partial<Payment> = {}, locked: Partial<LockedTerms> = {}): Payment => {
  const amount = fields.amount ?? 5000_00n
  const createdAt = fields.createdAt ?? start
  return {
    merchantId: 'merchant',
    id: 'payment',
    orderId: 'order',
    type: 'direct',
    method: 'sbp',
    sbpEnabled: false,
    bankIssuer: null,
    transferScope: null,
    userId: 'user',
    userIdGiven: false,
    returnUrl: null,
    locale: null,
    metadata: null,
    linkId: null,
    currency: 'rub',
    amount,
    quoteCurrency: usdt,
    ratePrice: 92_50000000n,
    rateCreatedAt: createdAt,
    total: quoteAmount(amount, { currency: 'rub', quoteCurrency: usdt }, 92_50000000n),
    status: 'new',
    statusReason: 'created',
    sequence: 1,
    received: 0n,
    finalAmount: null,
    lockedPart: null,
    laterPrice: null,
    requisiteId: 'requisite',
    requisiteShown: true,
    sharesSlot: false,
    switchedFrom: null,
    sourcePan: '',
    payerBank: null,
    isPayerNamed: false,
    payerChanges: 0,
    terms: terms(locked),
    createdAt,
    expiredAt: createdAt + 30 * minute,
    claimedAt: null,
    changedAt: createdAt,
    acknowledgedAt: null,
    receiptAt: null,
    claimReceivedAt: null,
    ...fields,
  }
}

/** A matching candidate that holds its slot for two days from its creation. */
export const candidate = (fields: Partial<Payment> = {}, others: Partial<Candidate> = {}): Candidate => {
  const made = payment(fields)
  return {
    payment: made,
    takenAt: made.createdAt,
    heldUntil: made.createdAt + 2 * 24 * 60 * minute,
    payerIndex: null,
    ...others,
  }
}

/** What an SBP payment of the merchant needs of its requisite. */
export const requisiteWish = (amount: bigint): RequisiteWish => ({
  merchantId: 'merchant',
  ownOnly: false,
  mode: 'live',
  method: 'sbp',
  currency: 'rub',
  transferScope: null,
  bankIssuer: null,
  amount,
})

/** An active SBP requisite that belongs to the merchant, by default without limits. */
export const requisite = (fields: Partial<Requisite> = {}, limits: Partial<RequisiteLimits> = {}): Requisite => ({
  id: 'requisite',
  merchantId: 'merchant',
  mode: 'live',
  method: 'sbp',
  currency: 'rub',
  transferScope: null,
  bankIssuer: 'bank-a',
  label: null,
  holder: 'Ivan Petrov',
  numberSealed: '',
  recipientSealed: null,
  numberMasked: '•••• 4567',
  limits: { ...noRequisiteLimits, ...limits },
  status: 'active',
  creditingHeld: null,
  proposedZone: null,
  ...fields,
})

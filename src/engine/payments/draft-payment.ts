import type { Context } from '../context.ts'
import { quoteCode } from '../../rules/values/currency.ts'
import type { LockedTerms } from '../../rules/merchants/merchant.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'
import { readPaymentRequest, type WireRequest } from '../../rules/payments/payment-request.ts'
import { mayShareSlot, newState, type Payment, type PaymentRequest } from '../../rules/payments/payment.ts'
import { type CurrencyPair, isQuotable, quoteAmount, type Rate, rateFor } from '../../rules/money/rate.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { describeShortage, noRequisite, type Shortage } from '../../rules/requisites/requisite-shortage.ts'
import { type Requisite, type RequisiteWish, windowsOn } from '../../rules/requisites/requisite.ts'
import type { PayerIdentity, RiskRules } from '../../rules/merchants/risk.ts'
import { type Story, storyOf } from '../../rules/sandbox/simulation.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { isPoolContested, type MerchantProfile, merchantDirectory } from '../merchants/merchant-directory.ts'
import { currentRates } from '../merchants/rates/rate.ts'
import { type BankIssuer, bankIssuers } from '../requisites/bank-issuers.ts'
import { type RequisitePool, requisitePool } from '../requisites/requisite-pool.ts'
import type { Allocation } from '../requisites/start-allocation.ts'
import { watchedPayers } from '../risk/identify-payers.ts'
import { riskRules } from '../risk/risk-rules.ts'
import { hexHash } from '../../secrets/hashes.ts'
import { lockedTerms } from './store.ts'

/** A request for one payment, by a merchant or by a payer through the merchant's payment link. */
export type CreateCommand = {
  readonly merchantId: string
  readonly request: WireRequest
  readonly linkId?: string | undefined
}

/** The in-memory data that decides about new payments. */
export type ReferenceData = {
  readonly merchants: ReadonlyMap<string, MerchantProfile>
  readonly rates: ReadonlyMap<string, Rate>
  readonly banks: ReadonlyMap<string, BankIssuer>
  readonly pool: RequisitePool
  readonly risk: RiskRules
  readonly vault: Context['vault']
}

/** A command that the rules allow and that still needs a requisite. */
export type Draft = {
  readonly request: PaymentRequest
  readonly linkId: string | null
  readonly profile: MerchantProfile
  readonly rate: Pick<Rate, 'price' | 'createdAt'>
  readonly wish: RequisiteWish
  /**
   * Identities of the payer that a block or a velocity rule concerns: the payment shows no requisite until it is
   * judged.
   */
  readonly payers: readonly PayerIdentity[]
}

/** Reads the reference data from memory. */
export const readReference = async ({ catalog, vault }: Context): Promise<ReferenceData> => {
  const [merchants, rates, banks, pool, risk] = await Promise.all([
    catalog.get(merchantDirectory),
    catalog.get(currentRates),
    catalog.get(bankIssuers),
    catalog.get(requisitePool),
    catalog.get(riskRules),
  ])
  return { merchants, rates, banks, pool, risk, vault }
}

/** What the sandbox pretends for an amount that finds no requisite. */
const pretendedShortage = (wish: RequisiteWish, now: Instant): Shortage =>
  describeShortage(wish, [{ refused: 'slot-taken', freeAt: now + minute }])

/** The story that a payment plays in the sandbox; empty for a live merchant. */
export const sandboxStory = (
  { merchant }: MerchantProfile,
  { amount, currency }: Pick<PaymentRequest, 'amount' | 'currency'>,
): Story => (merchant.mode === 'sandbox' ? storyOf(amount, currency) : {})

/** What a request asks for, and what its merchant is credited in. */
const pairOf = ({ merchant }: MerchantProfile, { currency }: Pick<PaymentRequest, 'currency'>): CurrencyPair => ({
  currency,
  quoteCurrency: merchant.settings.quoteCurrency,
})

/**
 * Checks a command against the rules. Refusals: those of `readPaymentRequest`, `rate_unavailable`, `amount_above_max`,
 * and `requisites_unavailable` for an amount that ends in `.07` in the sandbox.
 */
export const draftPayment = (reference: ReferenceData, command: CreateCommand, now: Instant): Draft | Refusal => {
  const profile = reference.merchants.get(command.merchantId)
  if (!profile) return new Refusal('token_invalid', 'The merchant of this token does not exist.')
  const request = readPaymentRequest(command.request, {
    limits: profile.limits,
    settings: profile.merchant.settings,
    isBankIssuer: (code) => reference.banks.has(code),
  })
  if (request instanceof Refusal) return request
  const pair = pairOf(profile, request)
  const rate = rateFor(reference.rates, pair, profile.merchant.mode, now)
  if (!rate) {
    return new Refusal('rate_unavailable', `There is no current rate for ${request.currency}; try again shortly.`, {
      retryAfterSeconds: 30,
    })
  }
  if (!isQuotable(request.amount, pair, rate.price)) {
    const code = quoteCode(pair.quoteCurrency)
    return refuseField('amount', `is more than can be quoted in ${code}.`, 'amount_above_max')
  }
  const { merchantId } = command
  const { method, currency, transferScope, bankIssuer, amount } = request
  const { mode, settings } = profile.merchant
  const ownOnly = settings.ownRequisitesOnly
  const mayShare = mayShareSlot(request.type, profile.terms[method])
  const base = { merchantId, ownOnly, mode, method, currency, transferScope, bankIssuer, amount }
  const wish = { ...base, mayShare, isPoolContested: isPoolContested(reference.merchants, merchantId) }
  if (sandboxStory(profile, request).lacksRequisite) return noRequisite(pretendedShortage(wish, now), now)
  const payers = watchedPayers(reference.risk, reference.vault, { merchantId, userId: request.userId }, now)
  return { request, linkId: command.linkId ?? null, profile, rate, wish, payers }
}

/** The payment that a draft becomes once it has a requisite. */
export const newPayment = (
  draft: Draft,
  { requisite, sharesSlot }: Pick<Allocation, 'requisite' | 'sharesSlot'>,
  newId: Context['newId'],
  now: Instant,
): Payment => {
  const { request, profile, rate } = draft
  const terms = termsNow(profile, request.method, request.currency, requisite)
  const timeToPayMs = sandboxStory(profile, request).timeToPayMs ?? terms.timeToPayMs
  const { userId: givenUserId, ...asked } = request
  return {
    ...asked,
    merchantId: profile.merchant.id,
    id: newId(),
    linkId: draft.linkId,
    userId: givenUserId ?? newId(),
    userIdGiven: givenUserId !== null,
    quoteCurrency: profile.merchant.settings.quoteCurrency,
    ratePrice: rate.price,
    rateCreatedAt: rate.createdAt,
    total: quoteAmount(request.amount, pairOf(profile, request), rate.price),
    ...newState,
    requisiteId: requisite.id,
    requisiteShown: request.type === 'direct' && draft.payers.length === 0,
    sharesSlot,
    terms,
    createdAt: now,
    expiredAt: now + timeToPayMs,
    changedAt: now,
  }
}

const ofProfiles = new WeakMap<MerchantProfile, Map<string, LockedTerms>>()

/** The current terms of a merchant's payments by a method on a requisite: the same object until they change. */
const termsNow = (
  profile: MerchantProfile,
  method: PaymentMethod,
  currency: string,
  requisite: Requisite,
): LockedTerms => {
  const known = ofProfiles.get(profile) ?? new Map<string, LockedTerms>()
  ofProfiles.set(profile, known)
  const { lateWindowMs, coolDownMs } = windowsOn(requisite, profile.terms[method])
  const key = `${method} ${currency} ${lateWindowMs} ${coolDownMs}`
  const terms = known.get(key)
  if (terms) return terms
  const limits = profile.limits.get(currency)
  const bounds = { minMinor: limits?.min ?? 1n, maxMinor: limits?.max ?? 0n }
  const locked = { ...profile.terms[method], lateWindowMs, coolDownMs, ...bounds }
  known.set(key, locked)
  return locked
}

const ids = new WeakMap<LockedTerms, string>()

/** The id of terms: a UUID of the first half of the SHA-256 of their stored text. */
export const termsId = (terms: LockedTerms): string => {
  const known = ids.get(terms)
  if (known !== undefined) return known
  const id = hexHash(Buffer.from(lockedTerms.encode(terms) ?? ''))
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  ids.set(terms, id)
  return id
}

import type { Context } from '../context.ts'
import type { Merchant } from '../../rules/merchants/merchant.ts'
import { offeredMethods, type PaymentMethod } from '../../rules/values/payment-method.ts'
import { mayShareSlot, type Payment } from '../../rules/payments/payment.ts'
import { type Requisite, unfit } from '../../rules/requisites/requisite.ts'
import type { Instant } from '../../rules/time.ts'
import { type MerchantLogo, merchantDirectory } from '../merchants/merchant-directory.ts'
import { hasFreeSlot } from '../requisites/read.ts'
import { type RequisitePool, requisitePool } from '../requisites/requisite-pool.ts'
import { findPaymentById } from './read.ts'

/** A payment as its payer's page needs it. */
type ViewedPayment = {
  readonly payment: Payment
  readonly requisite: Requisite
  readonly merchant: Merchant
  readonly logo: MerchantLogo | null
  /** Whether the payer is asked for its name: others pay the same amount on the requisite, or the next one would. */
  readonly asksName: boolean
  /** Whether a requisite of the method that `sbpEnabled` adds is available. */
  readonly isOtherFree: boolean
  /** Codes of the banks with an available requisite, for the payment's own method or another that it offers. */
  readonly ownBanks: () => ReadonlySet<string>
}

function* fitting(pool: RequisitePool, payment: Payment, merchant: Merchant, method: PaymentMethod, now: Instant) {
  const { merchantId, currency, amount } = payment
  const { mode, settings } = merchant
  const transferScope = method === payment.method ? payment.transferScope : null
  const kind = { method, currency, transferScope, bankIssuer: null, amount }
  const wish = { merchantId, ownOnly: settings.ownRequisitesOnly, mode, ...kind }
  for (const requisite of pool.offer(wish)) if (unfit(requisite, wish, now) === undefined) yield requisite
}

const asksName = async (
  context: Context,
  payment: Payment,
  fit: (method: PaymentMethod) => Iterable<Requisite>,
): Promise<boolean> => {
  if (payment.requisiteShown) return payment.isPayerNamed
  if (payment.status !== 'new' || !mayShareSlot(payment.type, payment.terms)) return false
  if (payment.sharesSlot) return true
  const others = [...fit(payment.method)].filter(({ id }) => id !== payment.requisiteId).map(({ id }) => id)
  return others.length === 0 || !(await hasFreeSlot(context, others, payment.amount, context.clock()))
}

/** The payment that a checkout token opens; `undefined` if the token is not ours or the payment does not exist. */
export const viewPayment = async (context: Context, token: string): Promise<ViewedPayment | undefined> => {
  const key = context.checkoutTokens.open(token)
  const payment = key && (await findPaymentById(context, key.merchantId, key.paymentId))
  if (!payment) return undefined
  const [pool, merchants] = await Promise.all([
    context.catalog.get(requisitePool),
    context.catalog.get(merchantDirectory),
  ])
  const requisite = pool.byId.get(payment.requisiteId)
  const profile = merchants.get(payment.merchantId)
  if (!requisite || !profile) throw new Error(`payment ${payment.id}: its requisite or merchant is unknown`)
  const { merchant, logo } = profile
  const fit = (method: PaymentMethod) => fitting(pool, payment, merchant, method, context.clock())
  const [, other] = offeredMethods(payment)
  const isOtherFree = other !== undefined && fit(other).next().done !== true
  return {
    ...{ payment, requisite, merchant, logo, isOtherFree, asksName: await asksName(context, payment, fit) },
    ownBanks: () => {
      const methods = isOtherFree ? offeredMethods(payment) : [payment.method]
      return new Set(methods.flatMap((method) => [...fit(method)].map(({ bankIssuer }) => bankIssuer)))
    },
  }
}

/** Link to a payment's hosted page: `{public_url}/{locale?}/<CHECKOUT_TOKEN>/payment-sbp` (docs/contract.md §2.3). */
export const checkoutUrl = (
  { settings, checkoutTokens }: Pick<Context, 'settings' | 'checkoutTokens'>,
  payment: Pick<Payment, 'merchantId' | 'id' | 'locale'>,
): string => {
  const token = checkoutTokens.issue(payment.merchantId, payment.id)
  return [settings.publicUrl, ...(payment.locale === null ? [] : [payment.locale]), token, 'payment-sbp'].join('/')
}

import type { Context, Tx } from '../context.ts'
import { lockAdding } from 'payin-database'
import { amountDigits } from '../../rules/values/currency.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import { creditedStatuses, type Payment, unpaidStatuses } from '../../rules/payments/payment.ts'
import { linkState, type LinkState, type PaymentLink } from '../../rules/payments/payment-link.ts'
import { methodRules, type PaymentMethod } from '../../rules/values/payment-method.ts'
import { isReturnUrl, type WireRequest } from '../../rules/payments/payment-request.ts'
import { orRefusal, Refusal, requireRow } from '../../rules/refusal.ts'
import { day, type Instant, minute } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import type { MerchantProfile } from '../merchants/merchant-directory.ts'
import { cancelPayment } from '../payments/close-payments.ts'
import { createPayment } from '../payments/create-payments.ts'
import { getPayments } from '../payments/read.ts'
import {
  bindUse,
  countTaken,
  countHeldOfAddress,
  countHeldOfLink,
  deleteUse,
  findUseOfVisit,
  insertUse,
  lockLinkRow,
  releaseFreedUses,
  releaseUse,
} from './store.ts'

/** What a payer sends to start a payment: `visit` comes from the form, and `address` counts as one payer's address. */
export type LinkOrder = {
  readonly linkId: string
  readonly amount: bigint
  readonly method: PaymentMethod
  readonly visit: string
  readonly address: string
}

/** Why a link starts no payment at the moment, apart from its state. */
type Held =
  /** All its uses are taken, but not all are paid; until `freeAt` the payer of one may pay. */
  | { readonly kind: 'busy'; readonly freeAt: Instant | null }
  /** Too many amounts are held by unpaid payments of this link, or from this address. */
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }

export type Started =
  | { readonly kind: 'started'; readonly payment: Payment }
  | { readonly kind: Exclude<LinkState, 'open'> }
  | Held
  | { readonly kind: 'refused'; readonly refusal: Refusal }

type Use = {
  readonly linkId: string
  readonly orderId: string
  readonly amount: bigint
  readonly method: PaymentMethod
}
type Reserved = { readonly link: PaymentLink; readonly use: Use }

/** A use that has no payment after this long was abandoned: requests end sooner. */
const abandonedAfterMs = 2 * minute
/** By default payments hold their amounts shorter than this, weekends included. */
const heldAtMostMs = 4 * day

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new order for a link's payment: `link-` and three groups of four letters or digits, 60 bits nobody can guess. */
const newOrder = ({ vault, newId }: Tx): string => {
  // A new id alone has fewer random bits, because the ids of one process rise.
  let bits = Buffer.from(vault.blindIndex('link-order', newId()), 'base64url').readBigUInt64BE()
  let code = ''
  for (let length = 0; length < 12; length++) {
    code += alphabet[Number(bits & 31n)]
    bits >>= 5n
  }
  return `link-${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8)}`
}

/**
 * Whether a payer who sends a corrected form gets another payment: not if the earlier one is paid, nor if it has shown
 * its account, because it may have been paid by now.
 */
const mayStartAgain = ({ status, requisiteShown, received }: Payment, link: PaymentLink): boolean =>
  creditedStatuses.has(status) ? link.maxUses !== 1 : status === 'new' && !requisiteShown && received === 0n

/** What the same visit has started before, to continue with it; `undefined` if it should start a payment now. */
const goOn = async (
  tx: Tx,
  link: PaymentLink,
  order: LinkOrder,
  visits: readonly string[],
): Promise<Use | undefined> => {
  const [use] = await tx.query(findUseOfVisit, { linkId: link.id, visits })
  if (!use) return undefined
  const [payment] = await getPayments(tx, [{ merchantId: link.merchantId, orderId: use.orderId }])
  const isSame = use.amount === order.amount && use.method === order.method
  const isOver = payment && unpaidStatuses.has(payment.status)
  if (isSame ? !isOver : payment && !isOver && !mayStartAgain(payment, link)) return use
  if (payment?.status === 'new') await cancelPayment(tx, payment, { actor: 'payer', reason: 'canceled-by-payer' })
  await tx.query(releaseUse, { linkId: link.id, orderId: use.orderId, now: tx.now })
  return undefined
}

/** The wait if the end of the payments is unknown, because they are being created. */
const unknownEndMs = 10 * minute

const limited = (endsAt: Instant | null, now: Instant): Held => ({
  kind: 'limited',
  retryAfterSeconds: Math.max(60, Math.ceil((endsAt === null ? unknownEndMs : endsAt - now) / 1000)),
})

/** Why unpaid payments hold too many amounts for one more; the count is exact: one transaction at a time adds any. */
const findLimit = async (
  { settings }: Context,
  tx: Tx,
  link: PaymentLink,
  addressIndexes: readonly string[],
): Promise<Held | undefined> => {
  const { linkUnpaid, linkUnpaidPerAddress } = settings
  const { now } = tx
  const startedAfter = now - abandonedAfterMs
  if (linkUnpaidPerAddress > 0 && addressIndexes.length > 0) {
    await lockAdding(tx, `link payments of ${addressIndexes[0]}`)
    const since = now - heldAtMostMs
    const [counted] = await tx.query(countHeldOfAddress, { addressIndexes, since, startedAfter, now })
    if (counted && counted.held >= linkUnpaidPerAddress) return limited(counted.endsAt, now)
  }
  if (linkUnpaid === 0) return undefined
  const { merchantId, id: linkId } = link
  const firstId = leastIdAt(now - heldAtMostMs)
  const [counted] = await tx.query(countHeldOfLink, { merchantId, linkId, firstId, startedAfter, now })
  return counted && counted.held >= linkUnpaid ? limited(counted.endsAt, now) : undefined
}

/** A free seat of a link; `null` if their number is not limited. */
const findSeat = async (tx: Tx, link: PaymentLink): Promise<number | null | Started> => {
  const { id: linkId, maxUses } = link
  if (maxUses === null) return null
  await tx.query(releaseFreedUses, { linkId, now: tx.now, staleBefore: tx.now - abandonedAfterMs })
  const [counted] = await tx.query(countTaken, { linkId, maxUses })
  const { taken = 0, paid = 0, seat = 1, freeAt = null } = counted ?? {}
  if (paid >= maxUses) return { kind: 'used-up' }
  return taken >= maxUses || seat === null ? { kind: 'busy', freeAt } : seat
}

const reserve = async (context: Context, tx: Tx, order: LinkOrder, mode: MerchantMode): Promise<Reserved | Started> => {
  const link = requireRow(await tx.query(lockLinkRow, { id: order.linkId }), 'payment link')
  const state = linkState(link, 0, tx.now)
  const visits = tx.vault.blindIndexes('link-visit', `${link.id} ${order.visit}`)
  const earlier = await goOn(tx, link, order, visits)
  if (earlier) return { link, use: earlier }
  if (state !== 'open') return { kind: state }
  // A developer tries many payments from one address, and in the sandbox they hold nobody's account.
  const addressIndexes = mode === 'sandbox' ? [] : tx.vault.blindIndexes('link-address', order.address)
  const seat = await findSeat(tx, link)
  if (seat !== null && typeof seat === 'object') return seat
  const limit = await findLimit(context, tx, link, addressIndexes)
  if (limit) return limit
  const use = { linkId: link.id, orderId: newOrder(tx), amount: order.amount, method: order.method }
  const row = { ...use, merchantId: link.merchantId, seat, startedAt: tx.now }
  const hashes = { visit: visits[0] ?? '', addressIndex: addressIndexes[0] ?? null }
  const inserted = await tx.query(insertUse, { rows: [{ ...row, ...hashes }] })
  return inserted.length > 0 ? { link, use } : { kind: 'busy', freeAt: null }
}

const requestOf = (link: PaymentLink, use: Use, returnHosts: readonly string[]): WireRequest => ({
  // Nothing is shown before the payer has identified itself.
  type: 'staged',
  amount: amountDigits(use.amount, link.currency),
  orderId: use.orderId,
  currency: link.currency,
  method: use.method,
  transferScope: methodRules[use.method].transferScope ?? undefined,
  // A host that the merchant has since removed is no reason to refuse its payers.
  returnUrl: link.returnUrl !== null && isReturnUrl(link.returnUrl, returnHosts) ? link.returnUrl : undefined,
  metadata: link.metadata ?? undefined,
})

/** Cancels a payment whose seat was taken by another one while it was being created; its payer has not seen it. */
const giveBack = async (context: Context, payment: Payment): Promise<Started> => {
  await orRefusal(['invalid_state'], () =>
    context.transaction((tx) => cancelPayment(tx, payment, { actor: 'service', reason: 'canceled-by-payer' })),
  )
  return { kind: 'busy', freeAt: null }
}

/**
 * Starts a payment by a link, or continues the one that the same visit has started. First it writes a use of the link,
 * whose seat only one use may hold; then it creates the payment as the merchant would. Refuses `resource_not_found` if
 * the link does not exist and `merchant_suspended`; the amount and method must already be checked.
 */
export const startLinkPayment = async (
  context: Context,
  { merchant }: MerchantProfile,
  order: LinkOrder,
): Promise<Started> => {
  if (merchant.status === 'suspended') throw new Refusal('merchant_suspended', 'The merchant is suspended.')
  const reserved = await context.transaction((tx) => reserve(context, tx, order, merchant.mode))
  if (!('use' in reserved)) return reserved
  const { link, use } = reserved
  const { linkId, orderId } = use
  const { merchantId } = link
  const request = requestOf(link, use, merchant.settings.returnHosts)
  const result = await createPayment(context, { merchantId, linkId, request })
  if (result.kind === 'refused') {
    await context.query(deleteUse, { linkId, orderId })
    return { kind: 'refused', refusal: result.refusal }
  }
  const bound = await context.query(bindUse, { linkId, orderId, paymentId: result.payment.id })
  return bound.length > 0 ? { kind: 'started', payment: result.payment } : giveBack(context, result.payment)
}

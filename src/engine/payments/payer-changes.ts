import { recordActs } from '../audit/record-acts.ts'
import type { Context, Tx } from '../context.ts'
import { maskIfKnown, maskNumber, maskSource } from '../../rules/values/masking.ts'
import { methodRules, offeredMethods, type PaymentMethod } from '../../rules/values/payment-method.ts'
import { lateUntil, mayChangePayer, mayShareSlot, type Payment } from '../../rules/payments/payment.ts'
import {
  longerWindows,
  type Requisite,
  type RequisiteWish,
  type Windows,
  windowsOn,
} from '../../rules/requisites/requisite.ts'
import {
  isPoolContested,
  type MerchantProfile,
  merchantDirectory,
  takesOwnOnly,
} from '../merchants/merchant-directory.ts'
import { type RequisitePool, requisitePool } from '../requisites/requisite-pool.ts'
import { releaseSlots, takeSlot } from '../requisites/slots.ts'
import { riskRules } from '../risk/risk-rules.ts'
import type { SealedTable } from '../../secrets/vault.ts'
import { failRiskyPayments, judgePayer } from './judge-new-payments.ts'
import { announcePayments, lockPayment } from './lock-payment.ts'
import { startChanges } from './start-changes.ts'
import { updatePayer, updateProof, updateRequisite } from './store.ts'

/** What the payer of a staged payment enters: the phone as E.164 digits, and bank and method if there is a choice. */
export type PayerDetails = {
  readonly phone: string
  readonly bankIssuer: string | null
  /** The name from which it pays, as its bank shows it; asked where several payments may share an amount. */
  readonly name?: string | null
  /** `sbp` if the payment lets the payer choose it. */
  readonly method?: PaymentMethod
}

/** Writes what a payer has entered, with the requisite that it is then shown. */
const writePayer = (
  tx: Tx,
  { merchantId, id }: Payment,
  { phone, bankIssuer, name }: PayerDetails,
  shown: Pick<
    Parameters<typeof updatePayer.encode>[0],
    'requisiteId' | 'requisiteShown' | 'sharesSlot' | 'windows' | 'payerChanges'
  >,
): Promise<unknown> => {
  const seal = (text: string, column: string): string => tx.vault.encrypt(text, { table: 'payments', column, row: id })
  return tx.query(updatePayer, {
    ...{ merchantId, id, ...shown },
    phoneSealed: seal(phone, 'payer_phone_sealed'),
    phoneIndex: tx.vault.blindIndex('payer', phone),
    sourcePan: maskSource(phone),
    payerBank: bankIssuer,
    nameSealed: name ? seal(name, 'payer_name_sealed') : null,
  })
}

type Profiles = ReadonlyMap<string, MerchantProfile>

/** The windows of a payment that moves to a requisite: never shorter than those that it was created with. */
const windowsAfter = (payment: Payment, to: Requisite, merchants: Profiles): Windows => {
  const { merchantId, method, terms } = payment
  return longerWindows(terms, windowsOn(to, merchants.get(merchantId)?.terms[method] ?? terms))
}

const changedWindows = (payment: Payment, to: Requisite, merchants: Profiles): Windows | null => {
  const after = windowsAfter(payment, to, merchants)
  const { lateWindowMs, coolDownMs } = payment.terms
  return after.lateWindowMs === lateWindowMs && after.coolDownMs === coolDownMs ? null : after
}

/** Until when a payment that moves to a requisite holds its slot there. */
const holdOn =
  (payment: Payment, merchants: Profiles) =>
  (to: Requisite): number =>
    lateUntil({ ...payment, terms: { ...payment.terms, ...windowsAfter(payment, to, merchants) } })

/** Takes a slot for a payment on a requisite of this kind, shared if no other is free and it `mayShare`. */
const takeFor = (
  tx: Tx,
  pool: RequisitePool,
  merchants: Profiles,
  payment: Payment,
  kind: Pick<RequisiteWish, 'method' | 'bankIssuer' | 'mode' | 'ownOnly'>,
  mayShare = true,
) => {
  const { merchantId, currency, amount, id: paymentId } = payment
  const { transferScope } = methodRules[kind.method]
  const shares = mayShare && mayShareSlot(payment.type, payment.terms)
  const base = { ...kind, merchantId, currency, amount, transferScope, mayShare: shares }
  const wish = { ...base, isPoolContested: isPoolContested(merchants, merchantId) }
  return takeSlot(tx, pool, wish, { paymentId, heldUntil: holdOn(payment, merchants) })
}

/**
 * Moves the slot to a requisite of the payer's method and bank, if one is free, and returns it; the method takes
 * precedence over the bank. Nobody has seen the old requisite, so its slot is freed immediately.
 */
const followPayer = async (
  tx: Tx,
  pool: RequisitePool,
  merchants: Profiles,
  payment: Payment,
  payer: PayerDetails & Pick<RequisiteWish, 'ownOnly'>,
): ReturnType<typeof takeSlot> => {
  const { id, amount, requisiteId, sharesSlot } = payment
  const present = pool.byId.get(requisiteId)
  if (!present) return undefined
  const method = offeredMethods(payment).find((each) => each === payer.method) ?? payment.method
  const bank = payer.bankIssuer ?? (method === present.method ? present.bankIssuer : null)
  if (method === present.method && bank === present.bankIssuer) return undefined
  // A slot of its own is worth more than the payer's bank.
  const mayShare = method !== present.method || sharesSlot
  const banks = method === present.method || bank === null ? [bank] : [bank, null]
  for (const bankIssuer of banks) {
    const wish = { method, bankIssuer, mode: present.mode, ownOnly: payer.ownOnly }
    const taken = await takeFor(tx, pool, merchants, payment, wish, mayShare)
    if (!taken) continue
    await releaseSlots(tx, [{ requisiteId, amount, paymentId: id, heldUntil: tx.now, sharesSlot }])
    return taken
  }
  return undefined
}

/**
 * Takes the payer's details of a staged payment that is new and in time, chooses the requisite by them and lets the
 * page show it. Earlier details are kept; in any other case nothing happens either. `other-method` if no requisite of
 * the chosen method is free; `refused` if a block or a velocity rule refuses the payer; the payment is then `failed`
 * without having shown a requisite.
 */
export const collectPayer = async (
  context: Context,
  merchantId: string,
  paymentId: string,
  payer: PayerDetails,
): Promise<'collected' | 'kept' | 'other-method' | 'refused'> => {
  // Read before the transaction: the embedded database has only one connection, which the transaction uses.
  const [pool, rules, merchants] = await Promise.all([
    context.catalog.get(requisitePool),
    context.catalog.get(riskRules),
    context.catalog.get(merchantDirectory),
  ])
  const ownOnly = takesOwnOnly(merchants, merchantId)
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId)
    if (payment?.type !== 'staged' || payment.status !== 'new') return 'kept'
    if (payment.requisiteShown || tx.now >= payment.expiredAt) return 'kept'
    const mode = pool.byId.get(payment.requisiteId)?.mode ?? 'live'
    const finding = await judgePayer(tx, rules, payment, mode, payer.phone)
    const moved = finding ? undefined : await followPayer(tx, pool, merchants, payment, { ...payer, ownOnly })
    const requisiteId = moved?.requisite.id ?? payment.requisiteId
    const sourcePan = maskSource(payer.phone)
    await writePayer(tx, payment, payer, {
      requisiteId,
      requisiteShown: finding === undefined,
      sharesSlot: moved?.sharesSlot ?? payment.sharesSlot,
      windows: moved ? changedWindows(payment, moved.requisite, merchants) : null,
      payerChanges: 0,
    })
    if (finding) {
      await failRiskyPayments(tx, 'page', [{ payment: { ...payment, sourcePan }, finding }])
      return 'refused'
    }
    announcePayments(tx, [payment])
    const followed = payer.method === undefined || pool.byId.get(requisiteId)?.method === payer.method
    return followed ? 'collected' : 'other-method'
  })
}

/**
 * Replaces the phone and bank that the payer of a staged payment gave: up to three times, and only until the payer
 * claims to have paid or money arrives. The requisite, the amount and the slot stay: the payer has seen them, and the
 * money may be on its way. The new phone is judged like the first one; if it is blocked, the answer is `refused` and
 * the payment is `failed`.
 */
export const changePayer = async (
  context: Context,
  merchantId: string,
  paymentId: string,
  payer: Pick<PayerDetails, 'phone' | 'bankIssuer' | 'name'>,
): Promise<'changed' | 'kept' | 'refused'> => {
  // Read before the transaction: the embedded database has only one connection, which the transaction uses.
  const [pool, rules] = await Promise.all([context.catalog.get(requisitePool), context.catalog.get(riskRules)])
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId)
    if (!payment || !mayChangePayer(payment, tx.now)) return 'kept'
    const mode = pool.byId.get(payment.requisiteId)?.mode ?? 'live'
    const finding = await judgePayer(tx, rules, payment, mode, payer.phone)
    const sourcePan = maskSource(payer.phone)
    await writePayer(tx, payment, payer, { ...payment, windows: null, payerChanges: payment.payerChanges + 1 })
    if (finding) {
      await failRiskyPayments(tx, 'page', [{ payment: { ...payment, sourcePan }, finding }])
      return 'refused'
    }
    announcePayments(tx, [payment])
    const before = { sourcePan: maskIfKnown(payment.sourcePan), bank: payment.payerBank }
    const act = { actor: 'payer', action: 'payment.payer-changed', subject: `payment:${merchantId}/${paymentId}` }
    await recordActs(tx, [
      { ...act, details: { before, after: { sourcePan: maskNumber(sourcePan), bank: payer.bankIssuer } } },
    ])
    return 'changed'
  })
}

/** Result of the payer's switch to another method. */
type SwitchResult = 'switched' | 'kept' | 'none-free'

/**
 * Lets the payer of a payment with `sbpEnabled` switch to SBP, or back, while the payment is new and in time. The payer
 * has seen the former requisite, so its slot stays taken and money that goes there still counts.
 */
export const switchMethod = async (
  context: Context,
  merchantId: string,
  paymentId: string,
  wanted: PaymentMethod,
): Promise<SwitchResult> => {
  // Read before the transaction: the embedded database has only one connection, which the transaction uses.
  const [pool, merchants] = await Promise.all([
    context.catalog.get(requisitePool),
    context.catalog.get(merchantDirectory),
  ])
  const ownOnly = takesOwnOnly(merchants, merchantId)
  return context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId)
    const present = payment && pool.byId.get(payment.requisiteId)
    if (!payment || !present || present.method === wanted) return 'kept'
    if (!offeredMethods(payment).includes(wanted) || payment.status !== 'new') return 'kept'
    if (!payment.requisiteShown || tx.now >= payment.expiredAt) return 'kept'
    const before = payment.switchedFrom === null ? undefined : pool.byId.get(payment.switchedFrom)
    // Switching back returns to the former requisite: a payment holds at most two slots.
    const isBack = before?.method === wanted
    // The former requisite may have been closed since, and a third slot is not allowed.
    if (isBack && before.status !== 'active') return 'none-free'
    // A wanted bank applies to the payment's own method only; SBP moves money between any two banks.
    const bankIssuer = wanted === payment.method ? (payment.payerBank ?? payment.bankIssuer) : null
    const wish = { method: wanted, bankIssuer, mode: present.mode, ownOnly }
    const taken = isBack ? { requisite: before, sharesSlot: false } : await takeFor(tx, pool, merchants, payment, wish)
    if (!taken) return 'none-free'
    const { requisite } = taken
    const windows = changedWindows(payment, requisite, merchants)
    const sharesSlot = payment.sharesSlot || taken.sharesSlot
    const shown = { requisiteId: requisite.id, switchedFrom: present.id, sharesSlot, windows }
    await tx.query(updateRequisite, { merchantId, id: paymentId, ...shown })
    announcePayments(tx, [payment])
    return 'switched'
  })
}

/** The payer says "I have paid": `new` becomes `processing`; any other status stays. Never moves money. */
export const claimPayment = (context: Context, merchantId: string, id: string): Promise<void> =>
  context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, id)
    if (payment?.status !== 'new' || tx.now >= payment.expiredAt) return
    const changes = startChanges(tx, 'payer')
    changes.change(payment, { to: 'processing', reason: 'claimed', trigger: 'payer-claimed', claimedAt: tx.now })
    await changes.write()
  })

/** Records on a locked payment when its payer sent a receipt or a claim, and wakes its page. */
export const noteProof = async (
  tx: Tx,
  payment: Payment,
  proof: Pick<Payment, 'receiptAt' | 'claimReceivedAt'>,
): Promise<void> => {
  await tx.query(updateProof, { merchantId: payment.merchantId, id: payment.id, ...proof })
  announcePayments(tx, [payment])
}

export const sealedPayers: SealedTable = {
  table: 'payments',
  key: { merchant_id: 'uuid', id: 'uuid' },
  columns: [
    {
      name: 'payer_phone_sealed',
      index: { name: 'payer_phone_index', of: (vault, phone) => vault.blindIndex('payer', phone.toString()) },
    },
    { name: 'payer_name_sealed' },
  ],
}

import { lockAdding } from 'payin-database'
import { checkPayer, type OrderParty } from 'bank-files/pure'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'
import { invalidState, noSuch, refuseField } from '../../../rules/refusal.ts'
import { formatInstant, type Instant, minute } from '../../../rules/time.ts'
import {
  checkRefundOrder,
  mostInFile,
  type NamedBank,
  orderAfter,
  payeeOfRefund,
  type RefundFileFormat,
  type RefundPayee,
  writeRefundFile,
} from '../../../rules/transfers/refund-file.ts'
import { sealedJson } from '../../../secrets/sealed-text.ts'
import type { Context, Tx } from '../../context.ts'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import { findOwnParty } from '../../requisites/find-own-party.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import type { StoredRefund } from './follow-money.ts'
import { markRefundSent, type RefundKey } from './refunds.ts'
import { findPayers, payTo } from './payers.ts'
import { findLastBankOrder, listApprovedRefunds, listSentInFile, listPaidRefunds } from './store.ts'

/** The account that a file sends refunds from, in the format of its bank. */
export type SendingAccount = {
  readonly requisiteId: string
  /** Its owner, whose refunds alone it sends; null if it serves all merchants of its mode. */
  readonly merchantId: string | null
  readonly mode: MerchantMode
  readonly currency: string
  readonly utcOffsetMinutes: number
  readonly format: RefundFileFormat
  readonly payer: OrderParty
  readonly banks: ReadonlyMap<string, NamedBank>
}

/**
 * The account of a requisite, as its bank's files name it: its own number or, if money reaches it by a card or phone, that of
 * its statements. Refuses `resource_not_found`, and `validation_failed` if the format cannot have payments of it.
 */
export const openSendingAccount = async (
  context: Context,
  requisiteId: string,
  format: RefundFileFormat,
): Promise<SendingAccount> => {
  const requisite = (await context.catalog.get(requisitePool)).byId.get(requisiteId)
  if (!requisite) throw noSuch('requisite')
  const { merchantId, mode, currency, limits } = requisite
  const banks = await context.catalog.get(bankIssuers)
  const payer = await findOwnParty(context, requisite)
  const fault = typeof payer === 'string' ? payer : format !== 'csv' && checkPayer(format, payer, currency)
  if (fault || typeof payer === 'string')
    throw refuseField('requisiteId', `cannot send a file of this format. ${fault}`)
  return {
    ...{ requisiteId, merchantId, mode, currency, utcOffsetMinutes: limits.utcOffsetMinutes },
    ...{ format, payer, banks },
  }
}

/**
 * The approved refunds that an account may send, the oldest first, read in pages: those that a file cannot have, and which
 * stay approved, hide no later ones.
 */
export async function* eachSendable(
  context: Context,
  account: SendingAccount,
  ofMerchant: string | null,
  pageSize = mostInFile,
) {
  const { merchantId, mode, currency } = account
  if (merchantId !== null && ofMerchant !== null && merchantId !== ofMerchant)
    throw refuseField('merchantId', 'is not the owner of the requisite.')
  const wanted = { merchantId: ofMerchant ?? merchantId, mode, currency, limit: pageSize }
  let after: string | null = null
  do {
    const page: readonly StoredRefund[] = await context.query(listApprovedRefunds, { ...wanted, after })
    yield* page
    after = page.at(-1)?.id ?? null
  } while (after !== null)
}

const payees = sealedJson<RefundPayee>('refunds', 'payee_sealed')

/** Who gets a refund, or why that is not certain. */
const findPayee = async (tx: Tx, { banks }: SendingAccount, refund: StoredRefund): Promise<RefundPayee | string> => {
  const { id, paymentId, payToSealed, amount } = refund
  const { payers, most } = (await findPayers(tx, [refund])).get(paymentId) ?? { payers: [], most: 0n }
  const paidFor = await tx.query(listPaidRefunds, refund)
  const earlier = paidFor.filter((each) => each.payToSealed === null && (each.id < id || each.decisionId !== null))
  const returned = earlier.reduce((sum, each) => (each.id === id ? sum : sum + each.amount), amount)
  const evidence = {
    payTo: payToSealed === null ? null : payTo.open(tx.vault, id, payToSealed),
    payers: payers.map((each) => ({ ...each, bank: banks.get(each.senderBank ?? '') })),
    isCovered: returned <= most,
  }
  return payeeOfRefund(evidence, (bic) => [...banks.values()].find((bank) => bank.bic === bic))
}

/** As a refund is sent by `markRefundSent`, in a file: with the number of the file, if it has one. */
export type SendingInFile = Omit<Parameters<typeof markRefundSent>[2], 'numberOrder' | 'requisiteId'> & {
  readonly bankFile: number | null
}

/**
 * Sends an approved refund in a file, which gets the number of its first order. Refuses as `markRefundSent`, and
 * `invalid_state` if it is not approved any more, or if the file cannot have it: it stays approved then.
 */
export const sendInBankFile = async (
  tx: Tx,
  key: RefundKey,
  account: SendingAccount,
  { bankFile, ...sending }: SendingInFile,
): Promise<StoredRefund> => {
  let isInFile = false
  const numberOrder = async (refund: StoredRefund) => {
    const payee = await findPayee(tx, account, refund)
    if (typeof payee === 'string') throw invalidState(payee)
    const fault = checkRefundOrder(account.format, refund, payee)
    if (fault !== undefined) throw invalidState(fault)
    await lockAdding(tx, 'payment orders of refunds')
    const [last] = await tx.query(findLastBankOrder, {})
    const bankOrder = orderAfter(last?.bankOrder ?? 0)
    isInFile = true
    const payeeSealed = payees.seal(tx.vault, refund.id, payee)
    return { bankOrder, bankFile: bankFile ?? bankOrder, payeeSealed }
  }
  const sent = await markRefundSent(tx, key, { ...sending, requisiteId: account.requisiteId, numberOrder })
  if (!isInFile) throw invalidState('It was sent otherwise meanwhile.')
  return sent
}

/**
 * The file of a number, with those of its refunds that the bank has not reported, to whom they were sent first: null
 * without any. `faults` has those that another format cannot have.
 */
export const readBankFile = async (tx: Tx, account: SendingAccount, bankFile: number) => {
  const { requisiteId, format, payer, currency, utcOffsetMinutes } = account
  const refunds = await tx.query(listSentInFile, { bankFile, requisiteId })
  const all = refunds.map((refund) => {
    const { id, bankOrder: order, payeeSealed } = refund
    const payee = payees.open(tx.vault, id, payeeSealed)
    return { refund, order, payee, why: checkRefundOrder(format, refund, payee) }
  })
  const sent = all.filter(({ why }) => why === undefined)
  const faults = all.flatMap(({ refund, why }) => (why === undefined ? [] : [{ refund, why }]))
  const localTime = (at: Instant): string => formatInstant(at + utcOffsetMinutes * minute).slice(0, 19)
  const [first] = sent
  const file = first && { number: bankFile, writtenAt: localTime(first.refund.bookedAt), currency, payer, sent }
  return { sent, faults, written: file ? writeRefundFile(format, file) : null }
}

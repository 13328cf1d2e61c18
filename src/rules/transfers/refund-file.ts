import {
  checkPaymentOrder,
  isIban,
  type OrderBank,
  type OrderParty,
  paymentFormats,
  type PaymentOrder,
  plainAccount,
  writePaymentOrders,
} from 'bank-files/pure'
import { fitsBic } from '../money/bank-details.ts'
import type { BankNumbers } from '../requisites/recipient.ts'
import { accountDigits, senderKind } from '../values/account-number.ts'
import { csvLine } from '../values/csv.ts'
import { amountDigits } from '../values/currency.ts'
import type { NamedParty } from './announced.ts'
import type { Refund } from './refund.ts'

/** The formats of a file that sends many refunds. */
export const refundFileFormats = [...paymentFormats, 'csv'] as const
export type RefundFileFormat = (typeof refundFileFormats)[number]

/** Why one is not in a file that has sent it. */
export const alreadyReported = 'The bank has already reported it: it is done.'

/** Most refunds in a file. */
export const mostInFile = 500

/** A bank as payment orders name it. */
export type NamedBank = BankNumbers & { readonly name: string }

/** Who gets a refund: as payment orders name it, and what else is known, for the forms of banks. */
export type RefundPayee = {
  readonly party: OrderParty
  /** The number that the bank has reported, which may be that of a card. */
  readonly number: string | null
  readonly phone: string | null
  /** As the merchant has written it. */
  readonly payTo: string | null
}

/** Whether a number is that of an account to which payment orders are sent. */
export const isOrderAccount = (number: string): boolean => /^\d{20}$/.test(number) || isIban(number)

/** The bank of an account, if its BIC fits the number; an IBAN needs none. */
export const orderBank = (account: string | null, bank: NamedBank | undefined): OrderBank | null => {
  if (account === null || !bank || bank.bic === null || !fitsBic(account, bank.bic)) return null
  const { bic, name, correspondentAccount } = bank
  return { bic, name, correspondentAccount }
}

const wordsOfAccounts =
  /(?<!\p{L})(?:бик|bic|iban|счёт|счет|сч|р\/с|account|acc|card|карта|получатель|фио|name)(?!\p{L})[\s.:№#]*/giu

/**
 * The account, bank and name in what a merchant has written; of each, `null` unless it is the only one. Check digits say
 * which number is which.
 */
const readWritten = (
  written: string,
  findBank: (bic: string) => NamedBank | undefined,
): Pick<OrderParty, 'name' | 'account' | 'bank'> => {
  const only = (pattern: RegExp): string | null => {
    const [found = null, ...others] = new Set(written.match(pattern))
    return others.length === 0 ? found : null
  }
  const account = only(/(?<![\p{L}\d])(?:\d{20}|[A-Z]{2}\d{2}[A-Z0-9]{11,30})(?![\p{L}\d])/gu)
  const bic = only(/(?<![\p{L}\d])0\d{8}(?![\p{L}\d])/gu)
  if (account === null || !isOrderAccount(account)) return { name: null, account: null, bank: null }
  const bank = bic === null ? undefined : { name: '', correspondentAccount: null, ...findBank(bic), bic }
  const [name = null, ...others] = written
    .replace(account, ',')
    .replace(bic ?? ',', ',')
    .replace(wordsOfAccounts, ',')
    .split(/[,;/]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const isName = others.length === 0 && name !== null && /^\p{L}+(?:[ .'’-]+\p{L}+)+\.?$/u.test(name)
  return { name: isName ? name : null, account, bank: orderBank(account, bank) }
}

/** What is known about whoever gets a refund; `payers` are those who sent the most of its payment (see `mainSenders`). */
export type RefundEvidence = {
  readonly payTo: string | null
  readonly payers: readonly (NamedParty & { readonly bank: NamedBank | undefined })[]
  /** Whether each of them sent as much as this refund and the earlier ones give back. */
  readonly isCovered: boolean
}

/** Who gets a refund, or why that is not certain. */
export const payeeOfRefund = (
  { payTo, payers, isCovered }: RefundEvidence,
  findBank: (bic: string) => NamedBank | undefined,
): RefundPayee | string => {
  if (payTo !== null) return { party: readWritten(payTo, findBank), number: null, phone: null, payTo }
  const [payer, ...others] = payers
  if (others.length > 0) return 'Several accounts have paid as much as each other: send it by hand.'
  if (payer && !isCovered)
    return 'It is more than the one who sent the most has sent: send it by hand, to each of the payers.'
  const { number: reported = null, name = null, bank } = payer ?? {}
  const number = reported === null || senderKind(reported) === undefined ? null : plainAccount(reported)
  const account = number !== null && isOrderAccount(number) ? number : null
  const digits = accountDigits(number ?? '')
  return {
    party: { name, account, bank: orderBank(account, bank) },
    number,
    phone: /^7\d{10}$/.test(digits) ? digits : null,
    payTo,
  }
}

type Sent = Pick<Refund, 'id' | 'orderId' | 'reference' | 'currency' | 'amount'>

/** An order for a refund: the same one in every file, so that a bank recognises it. */
const orderOfRefund = (
  { id, orderId, reference, currency, amount }: Sent,
  number: number,
  { party }: RefundPayee,
): PaymentOrder => {
  const text = currency === 'rub' ? `Возврат по заказу ${orderId}` : `Refund of order ${orderId}`
  return { number, id: id.replaceAll('-', ''), amount, payee: party, text: `${text}, ${reference}` }
}

/** Why a file of this format cannot have a refund; `undefined` if it can. */
export const checkRefundOrder = (format: RefundFileFormat, refund: Sent, payee: RefundPayee): string | undefined => {
  if (format !== 'csv') return checkPaymentOrder(format, orderOfRefund(refund, 1, payee), refund.currency)
  const isKnown = [payee.number, payee.phone, payee.payTo].some((each) => each !== null)
  return isKnown ? undefined : 'The bank has reported only a part of the number of the payer.'
}

/** The number of an order after the last one: banks refuse one that ends with three zeros. */
export const orderAfter = (last: number): number => ((last + 1) % 1000 === 0 ? last + 2 : last + 1)

/** The number that a bank gets: six digits. */
export const shownOrder = (order: number): number => order % 1_000_000

/** A file that sends refunds. */
export type RefundFile = {
  readonly number: number
  /** Where the account is: `2026-01-31T10:30:00`. */
  readonly writtenAt: string
  readonly currency: string
  readonly payer: OrderParty
  readonly sent: readonly { readonly refund: Sent; readonly order: number; readonly payee: RefundPayee }[]
}

const columns = [
  ...[
    'number',
    'date',
    'amount',
    'currency',
    'from',
    'name',
    'account',
    'phone',
    'bic',
    'bank',
    'correspondentAccount',
  ],
  ...['payTo', 'text', 'orderId', 'reference', 'id'],
]

const toCsv = ({ writtenAt, payer, sent }: RefundFile): Uint8Array => {
  const lines = sent.map(({ refund, order, payee }) => {
    const { number, id, text } = orderOfRefund(refund, shownOrder(order), payee)
    const { party, phone, payTo } = payee
    const amount = amountDigits(refund.amount, refund.currency)
    return csvLine([
      ...[number, writtenAt.slice(0, 10), amount, refund.currency, payer.account, party.name],
      ...[party.account ?? payee.number, phone],
      ...[party.bank?.bic ?? null, party.bank?.name ?? null, party.bank?.correspondentAccount ?? null],
      ...[payTo, text, refund.orderId, refund.reference, id],
    ])
  })
  return new TextEncoder().encode(csvLine(columns) + lines.join(''))
}

const endings = { '1c': 'txt', 'pain.001': 'xml', csv: 'csv' } as const

/** The name and the content of a file. The same refunds give the same bytes. */
export const writeRefundFile = (
  format: RefundFileFormat,
  file: RefundFile,
): { readonly fileName: string; readonly content: Uint8Array } => {
  const { number, writtenAt, currency, payer, sent } = file
  const fileName = `refunds-${number}.${endings[format]}`
  if (format === 'csv') return { fileName, content: toCsv(file) }
  const id = `refunds-${writtenAt.slice(0, 10).replaceAll('-', '')}-${number}`
  const orders = sent.map(({ refund, order, payee }) => orderOfRefund(refund, shownOrder(order), payee))
  return { fileName, content: writePaymentOrders(format, { id, writtenAt, currency, payer, orders }) }
}

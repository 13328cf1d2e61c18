import { type LockedFeePlan, splitCredit } from '../merchants/fee.ts'
import type { MerchantMode } from '../merchants/merchant.ts'
import { type Instant, minute } from '../time.ts'

/** The book of postings that belong to no merchant. */
export const serviceBook = '00000000-0000-0000-0000-000000000000'

/** The books of the service, of real and of simulated money: a book has money of one mode. */
export const serviceBooks: Readonly<Record<MerchantMode, string>> = {
  live: serviceBook,
  sandbox: '00000000-0000-0000-0000-000000000001',
}

/** Whether a book belongs to no merchant. */
export const isServiceBook = (book: string): boolean => Object.values(serviceBooks).includes(book)

export const postingKinds = [
  'receive',
  /** A payment is credited: its fiat money goes into the exchange, and the merchant gets its share. */
  'credit',
  'fee',
  /** Two operators credit money that does not cover the amount; or money arrives for that. */
  'correct',
  /** Money arrives for a credited payment. */
  'overpay',
  /** A surplus goes to the merchant (and from there, if the bank takes it), back to the payer, or to the operator. */
  'assign',
  /** Money goes back to a payer: from a merchant, and from a bank; or returns to the merchant. */
  'refund',
  'write-off',
  /** Money that belongs to no payment is set aside. */
  'ignore',
  'reverse',
  /** The bank reversed money, or a report was withdrawn. */
  'return',
  /** A settlement reserves a merchant's balance, is paid out, or gives the balance back. */
  'hold',
  'payout',
  'release',
  /** Two operators agreed on a posting. */
  'adjust',
  /** Money left the bank for an unexplained purpose, or such money came back. */
  'send',
  /** An outgoing transfer is booked to its purpose, or unbooked. */
  'book',
  'unbook',
  /** What an account held before its first transfer. */
  'open',
] as const
export type PostingKind = (typeof postingKinds)[number]

/** One row of the ledger: an amount > 0 in minor units of its currency, from one account to another. */
export type Posting = {
  /** Book: the merchant, or `serviceBook`. */
  readonly merchantId: string
  /** In the book of the service: whose money it is. It is posted in the one of `serviceBooks` that this belongs to. */
  readonly requisiteId?: string
  readonly kind: PostingKind
  readonly debit: string
  readonly credit: string
  readonly currency: string
  readonly amount: bigint
  readonly paymentId: string | null
  readonly transferId: string | null
  /** The settlement, decision, reversal or adjustment that the posting belongs to, if any. */
  readonly documentId?: string
}

/** Names of the accounts (docs/domain.md §8.1). */
export const account = {
  bank: (requisiteId: string): string => `bank:${requisiteId}`,
  /** Money that no payment has been credited for yet. */
  suspense: 'suspense',
  /** Owed to a payer who sent more than the payment took. */
  overpayment: (paymentId: string): string => `overpayment:${paymentId}`,
  /** Taken from a merchant for the payer of a payment, by refunds that are not sent yet. */
  refund: (paymentId: string): string => `refund:${paymentId}`,
  /** Credited by two operators without covering money: what the operator paid from its own funds. */
  corrections: 'corrections',
  /** Money that belongs to no payment, as an operator decided. */
  ignored: 'ignored',
  /** Money that the bank reversed when no account held it any more: a claim against somebody. */
  reversed: (paymentId: string): string => `reversed:${paymentId}`,
  /** Owed to a merchant and not yet paid out. */
  available: (merchantId: string): string => `merchant:${merchantId}:available`,
  /** Owed to a merchant and reserved by settlements that are under way. */
  held: (merchantId: string): string => `merchant:${merchantId}:held`,
  /** What settlements have paid out to a merchant so far. */
  paidOut: (merchantId: string): string => `merchant:${merchantId}:paid-out`,
  fees: 'fees',
  /** Money of payers that the operator has kept: no income, because a payer may still ask for it. */
  writtenOff: 'written-off',
  /** Remainders that people book, such as those of an exchange; credits leave none. */
  rounding: 'rounding',
  /** Left the bank without an explanation so far. */
  unexplained: 'unexplained',
  /** Paid to banks for their services. */
  bankFees: 'bank-fees',
  /** Paid for purposes that have no account, as an operator explained. */
  expenses: 'expenses',
  /** Left the bank for settlements in its own currency; what they paid is on `paidOut`. */
  payouts: 'payouts',
  /** What accounts held before their first recorded transfer. */
  opening: 'opening',
  /** Position of the exchange between a currency and the quote currencies of merchants. */
  exchange: (currency: string): string => `fx:${currency}`,
} as const

/** A posting between two accounts; by default in the service's book, and belonging to nothing. */
export const posting = (
  kind: PostingKind,
  [debit, credit]: readonly [debit: string, credit: string],
  { currency, amount }: { readonly currency: string; readonly amount: bigint },
  of: Partial<Pick<Posting, 'merchantId' | 'requisiteId' | 'paymentId' | 'transferId' | 'documentId'>> = {},
): Posting => ({
  ...{ merchantId: serviceBook, paymentId: null, transferId: null },
  kind,
  debit,
  credit,
  currency,
  amount,
  ...of,
})

/** Money of a transfer that the bank has, but not yet the ledger. */
export type ArrivingMoney = { readonly transferId: string; readonly requisiteId: string; readonly amount: bigint }

/** Money arrives and waits: in the book of the payment that it belongs to or, without one, in the service's. */
export const postReceipt = (
  payment: { readonly merchantId: string; readonly id: string } | null,
  currency: string,
  { transferId, requisiteId, amount }: ArrivingMoney,
): Posting => {
  const owner = payment ? { merchantId: payment.merchantId, paymentId: payment.id } : { requisiteId }
  const accounts = [account.bank(requisiteId), account.suspense] as const
  return posting('receive', accounts, { currency, amount }, { ...owner, transferId })
}

/**
 * A payment is credited: money leaves suspense (earlier money) and the bank (money that arrives now) for the exchange,
 * and the exchange pays the merchant and the fee in the quote currency. If that is the payment's own, there is no
 * exchange: suspense pays them. `corrected` is what two operators agreed to credit without money; `gross` is the amount
 * in the quote currency before the fee.
 */
export const postCredit = (credit: {
  readonly merchantId: string
  readonly paymentId: string
  readonly currency: string
  readonly quoteCurrency: string
  readonly held: bigint
  readonly arriving: ArrivingMoney | null
  readonly corrected?: bigint
  readonly gross: bigint
  readonly plan: LockedFeePlan
}): Posting[] => {
  const { merchantId, paymentId, currency, quoteCurrency, arriving } = credit
  const { net, fee } = splitCredit(credit.gross, credit.plan, quoteCurrency)
  const through = currency === quoteCurrency ? account.suspense : account.exchange(currency)
  const base = { merchantId, kind: 'credit', paymentId, transferId: null } as const
  const fiat = { ...base, credit: through, currency }
  const quote = { ...base, debit: through, currency: quoteCurrency }
  const postings: Posting[] = [
    { ...fiat, debit: account.suspense, amount: credit.held },
    {
      ...fiat,
      debit: account.bank(arriving?.requisiteId ?? ''),
      amount: arriving?.amount ?? 0n,
      transferId: arriving?.transferId ?? null,
    },
    { ...fiat, kind: 'correct', debit: account.corrections, amount: credit.corrected ?? 0n },
    { ...quote, credit: account.available(merchantId), amount: net },
    { ...quote, kind: 'fee', credit: account.fees, amount: fee },
  ]
  return postings.filter((each) => each.amount > 0n && each.debit !== each.credit)
}

/** Reversing entries: the same amounts in the opposite direction. */
export const reversePostings = (postings: readonly Posting[]): Posting[] =>
  postings.map((each) => ({ ...each, kind: 'reverse', debit: each.credit, credit: each.debit }))

/** Money that waits with a payment and exceeds the credit becomes a liability to its payer. */
export const postSurplus = (merchantId: string, paymentId: string, currency: string, amount: bigint): Posting => {
  const accounts = [account.suspense, account.overpayment(paymentId)] as const
  return posting('overpay', accounts, { currency, amount }, { merchantId, paymentId })
}

/** Money that waits in the service's book is set aside because it belongs to no payment. */
export const postIgnored = (currency: string, { amount, ...money }: ArrivingMoney): Posting =>
  posting('ignore', [account.suspense, account.ignored], { currency, amount }, money)

/** Money that arrives for an already credited payment becomes a liability to its payer. */
export const postOverpayment = (
  merchantId: string,
  paymentId: string,
  currency: string,
  { transferId, requisiteId, amount }: ArrivingMoney,
): Posting => {
  const accounts = [account.bank(requisiteId), account.overpayment(paymentId)] as const
  return posting('overpay', accounts, { currency, amount }, { merchantId, paymentId, transferId })
}

/** Money arrives for an already credited payment, and covers what two operators had credited without money. */
export const postCover = (
  {
    merchantId,
    id: paymentId,
    currency,
  }: { readonly merchantId: string; readonly id: string; readonly currency: string },
  { transferId, requisiteId, amount }: ArrivingMoney,
): Posting => {
  const accounts = [account.bank(requisiteId), account.corrections] as const
  return posting('correct', accounts, { currency, amount }, { merchantId, paymentId, transferId })
}

/** The largest balance of an account, in minor units: the sum of nine of them still fits the database's integers. */
export const maxBalance = 10n ** 18n

type BalanceChange = { merchantId: string; account: string; currency: string; change: bigint }

/** Net movement of each account of each book; debits are positive, credits negative. */
export const balanceChanges = (postings: readonly Posting[]): BalanceChange[] => {
  const changes = new Map<string, BalanceChange>()
  const add = ({ merchantId, currency }: Posting, name: string, amount: bigint): void => {
    const key = `${merchantId} ${name} ${currency}`
    const entry = changes.get(key) ?? { merchantId, account: name, currency, change: 0n }
    entry.change += amount
    changes.set(key, entry)
  }
  for (const each of postings) {
    add(each, each.debit, each.amount)
    add(each, each.credit, -each.amount)
  }
  return [...changes.keys()].toSorted().flatMap((key) => changes.get(key) ?? [])
}

/**
 * Money leaves the bank again: by default from suspense, else from what a payer is owed, or from `account.reversed` if
 * no account holds it any more. The reverse of `postReceipt`.
 */
export const postReturn = (
  payment: { readonly merchantId: string; readonly id: string } | null,
  currency: string,
  leaving: ArrivingMoney,
  from: string = account.suspense,
  documentId?: string,
): Posting => {
  const received = postReceipt(payment, currency, leaving)
  const document = documentId === undefined ? {} : { documentId }
  return { ...received, kind: 'return', debit: from, credit: received.debit, ...document }
}

/** Far longer than a silent transaction may live in the database, and than the clocks of two processes differ. */
const finalAfterMs = 2 * minute

/**
 * Nothing is posted before this time any more: a posting has the time at which its transaction began, and becomes
 * visible when that ends. Exports end here, so that the same span always has the same content.
 */
export const finalUntil = (now: Instant): Instant => now - finalAfterMs

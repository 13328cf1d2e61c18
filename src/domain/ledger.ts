import { quoteCurrency } from './currency.ts'
import { type LockedFeePlan, splitCredit } from './fee.ts'

/** The book of postings that belong to no merchant. */
export const serviceBook = '00000000-0000-0000-0000-000000000000'

/** What postings are for. */
export type PostingKind =
  /** Money arrives and waits. */
  | 'receive'
  /** A payment is credited: its fiat money goes into the exchange, the merchant gets its share. */
  | 'credit'
  | 'fee'
  | 'rounding'
  /** Money arrives for a payment that has been credited. */
  | 'overpay'
  /** A surplus goes to the merchant, back to the payer, or to the operator. */
  | 'assign'
  | 'refund'
  | 'write-off'
  /** The bank took a transfer back. */
  | 'reverse'
  /** A settlement reserves a merchant's balance, is paid out, or gives the balance back. */
  | 'hold'
  | 'payout'
  | 'release'
  /** Two operators agreed on a posting. */
  | 'adjust'

/** One row of the ledger: an amount > 0 in minor units of its currency, from one account to another. */
export type Posting = {
  /** Book: the merchant, or `serviceBook`. */
  readonly merchantId: string
  readonly kind: PostingKind
  readonly debit: string
  readonly credit: string
  readonly currency: string
  readonly amount: bigint
  readonly paymentId: string | null
  readonly transferId: string | null
  /** The settlement, decision, reversal or adjustment that the posting belongs to, where there is one. */
  readonly documentId?: string
}

/** Names of the accounts (domain rules §8). */
export const account = {
  /** Money at the bank on one requisite. */
  bank: (requisiteId: string): string => `bank:${requisiteId}`,
  /** Money that no payment has been credited for yet. */
  suspense: 'suspense',
  /** Owed to a payer who sent more than the payment took. */
  overpayment: (paymentId: string): string => `overpayment:${paymentId}`,
  /** Owed to a merchant and not yet paid out. */
  available: (merchantId: string): string => `merchant:${merchantId}:available`,
  /** Owed to a merchant and reserved by settlements that are under way. */
  held: (merchantId: string): string => `merchant:${merchantId}:held`,
  /** What settlements have paid out to a merchant so far. */
  paidOut: (merchantId: string): string => `merchant:${merchantId}:paid-out`,
  /** Earned by the operator. */
  fees: 'fees',
  /** Units that a split into whole units leaves over. */
  rounding: 'rounding',
  /** Position of the exchange between a fiat currency and the quote currency. */
  exchange: (currency: string): string => `fx:${currency}`,
} as const

/** Money arrives and waits, in the book of the payment that it was attributed to or, without one, in the service's. */
export const postReceipt = (
  payment: { readonly merchantId: string; readonly id: string } | null,
  currency: string,
  arriving: ArrivingMoney,
): Posting => ({
  merchantId: payment?.merchantId ?? serviceBook,
  kind: 'receive',
  debit: account.bank(arriving.requisiteId),
  credit: account.suspense,
  currency,
  amount: arriving.amount,
  paymentId: payment?.id ?? null,
  transferId: arriving.transferId,
})

/** Money of a transfer that is at the bank and not in the ledger yet. */
export type ArrivingMoney = { readonly transferId: string; readonly requisiteId: string; readonly amount: bigint }

/**
 * A payment is credited: fiat money leaves suspense (what arrived before) and the bank (what arrives now) into the
 * exchange, and the exchange pays the merchant and the fee in the quote currency. `gross` is the quote amount before
 * the fee.
 */
export const postCredit = (credit: {
  readonly merchantId: string
  readonly paymentId: string
  readonly currency: string
  readonly held: bigint
  readonly arriving: ArrivingMoney | null
  readonly gross: bigint
  readonly plan: LockedFeePlan
}): Posting[] => {
  const { merchantId, paymentId, currency, arriving } = credit
  const { net, fee, rounding } = splitCredit(credit.gross, credit.plan)
  const exchange = account.exchange(currency)
  const base = { merchantId, kind: 'credit', paymentId, transferId: null } as const
  const fiat = { ...base, credit: exchange, currency }
  const quote = { ...base, debit: exchange, currency: quoteCurrency }
  const postings: Posting[] = [
    { ...fiat, debit: account.suspense, amount: credit.held },
    {
      ...fiat,
      debit: account.bank(arriving?.requisiteId ?? ''),
      amount: arriving?.amount ?? 0n,
      transferId: arriving?.transferId ?? null,
    },
    { ...quote, credit: account.available(merchantId), amount: net },
    { ...quote, kind: 'fee', credit: account.fees, amount: fee },
    { ...quote, kind: 'rounding', credit: account.rounding, amount: rounding },
  ]
  return postings.filter((posting) => posting.amount > 0n)
}

/** Money that arrives for a payment that was credited before becomes a liability to its payer. */
export const postOverpayment = (
  merchantId: string,
  paymentId: string,
  currency: string,
  arriving: ArrivingMoney,
): Posting => ({
  merchantId,
  kind: 'overpay',
  debit: account.bank(arriving.requisiteId),
  credit: account.overpayment(paymentId),
  currency,
  amount: arriving.amount,
  paymentId,
  transferId: arriving.transferId,
})

/** Net movement of each account of each book; debits count up, credits down. */
export const balanceChanges = (
  postings: readonly Posting[],
): { merchantId: string; account: string; currency: string; change: bigint }[] => {
  const changes = new Map<string, { merchantId: string; account: string; currency: string; change: bigint }>()
  const add = (posting: Posting, name: string, amount: bigint): void => {
    const key = `${posting.merchantId} ${name} ${posting.currency}`
    const entry = changes.get(key) ?? {
      merchantId: posting.merchantId,
      account: name,
      currency: posting.currency,
      change: 0n,
    }
    entry.change += amount
    changes.set(key, entry)
  }
  for (const posting of postings) {
    add(posting, posting.debit, posting.amount)
    add(posting, posting.credit, -posting.amount)
  }
  return [...changes.keys()].toSorted().flatMap((key) => changes.get(key) ?? [])
}

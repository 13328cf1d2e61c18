import { quoteCurrency } from './currency.ts'

/** The book of postings that belong to no merchant. */
export const serviceBook = '00000000-0000-0000-0000-000000000000'

/** One row of the ledger: an amount > 0 in minor units of its currency, from one account to another. */
export type Posting = {
  /** Book: the merchant, or `serviceBook`. */
  readonly merchantId: string
  readonly kind: 'receive' | 'credit' | 'fee' | 'overpay' | 'correct' | 'ignore' | 'reverse' | 'return'
  readonly debit: string
  readonly credit: string
  readonly currency: string
  readonly amount: bigint
  readonly paymentId: string | null
  readonly transferId: string | null
}

/** Names of the accounts (domain rules §8). */
export const account = {
  /** Money at the bank on one requisite. */
  bank: (requisiteId: string): string => `bank:${requisiteId}`,
  /** Money that no payment has been credited for yet. */
  suspense: 'suspense',
  /** Owed to a payer who sent more than the payment took. */
  overpayment: (paymentId: string): string => `overpayment:${paymentId}`,
  /** Credited by two operators without money that covers it: what the service has paid out of its own. */
  corrections: 'corrections',
  /** Money of which an operator has said that it belongs to no payment. */
  ignored: 'ignored',
  /** What a payment was credited with and the bank took back afterwards. */
  reversed: (paymentId: string): string => `reversed:${paymentId}`,
  /** Owed to a merchant and not yet paid out. */
  available: (merchantId: string): string => `merchant:${merchantId}:available`,
  /** Earned by the operator. */
  fees: 'fees',
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

/** Fee in quote units, rounded down in the merchant's favour. */
export const feeOf = (gross: bigint, feePpm: number): bigint => (gross * BigInt(feePpm)) / 1_000_000n

/** Money of a transfer that is at the bank and not in the ledger yet. */
export type ArrivingMoney = { readonly transferId: string; readonly requisiteId: string; readonly amount: bigint }

/**
 * A payment is credited: fiat money leaves suspense (what arrived before) and the bank (what arrives now) into the
 * exchange, and the exchange pays the merchant and the fee in the quote currency. `corrected`
 * is what no money covers and two operators have agreed to credit; `gross` is the quote amount before the fee.
 */
export const postCredit = (credit: {
  readonly merchantId: string
  readonly paymentId: string
  readonly currency: string
  readonly held: bigint
  readonly arriving: ArrivingMoney | null
  readonly corrected?: bigint
  readonly gross: bigint
  readonly feePpm: number
}): Posting[] => {
  const { merchantId, paymentId, currency, arriving } = credit
  const fee = feeOf(credit.gross, credit.feePpm)
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
    { ...fiat, kind: 'correct', debit: account.corrections, amount: credit.corrected ?? 0n },
    { ...quote, credit: account.available(merchantId), amount: credit.gross - fee },
    { ...quote, kind: 'fee', credit: account.fees, amount: fee },
  ]
  return postings.filter((posting) => posting.amount > 0n)
}

/** Postings that undo others: the same amounts the other way. */
export const reversePostings = (postings: readonly Posting[]): Posting[] =>
  postings.map((posting) => ({ ...posting, kind: 'reverse', debit: posting.credit, credit: posting.debit }))

/** Money that waits with a payment and is more than what is credited becomes a liability to its payer. */
export const postSurplus = (merchantId: string, paymentId: string, currency: string, amount: bigint): Posting => ({
  merchantId,
  kind: 'overpay',
  debit: account.suspense,
  credit: account.overpayment(paymentId),
  currency,
  amount,
  paymentId,
  transferId: null,
})

/** Money that waits in the service's book is set aside, because it belongs to no payment. */
export const postIgnored = (currency: string, { transferId, amount }: Omit<ArrivingMoney, 'requisiteId'>): Posting => ({
  merchantId: serviceBook,
  kind: 'ignore',
  debit: account.suspense,
  credit: account.ignored,
  currency,
  amount,
  paymentId: null,
  transferId,
})

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

/** Money leaves again that had arrived and was credited to nobody: the reverse of `postReceipt`, or of `postIgnored`, too. */
export const postReturn = (
  payment: { readonly merchantId: string; readonly id: string } | null,
  currency: string,
  leaving: ArrivingMoney,
  from: string = account.suspense,
): Posting => {
  const received = postReceipt(payment, currency, leaving)
  return { ...received, kind: 'return', debit: from, credit: received.debit }
}

/**
 * The bank takes back money that a payment was given: an overpayment is no longer owed; what the payment was credited
 * with stays credited, and is to be had from its merchant.
 */
export const postReversal = (
  payment: { readonly merchantId: string; readonly id: string },
  kind: 'payment' | 'overpayment',
  currency: string,
  leaving: ArrivingMoney,
): Posting => ({
  merchantId: payment.merchantId,
  kind: 'return',
  debit: kind === 'overpayment' ? account.overpayment(payment.id) : account.reversed(payment.id),
  credit: account.bank(leaving.requisiteId),
  currency,
  amount: leaving.amount,
  paymentId: payment.id,
  transferId: leaving.transferId,
})

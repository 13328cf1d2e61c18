import { quoteCurrency } from './currency.ts'
import { type LockedFeePlan, splitCredit } from './fee.ts'
import { type Instant, minute } from './time.ts'

/** The book of postings that belong to no merchant. */
export const serviceBook = '00000000-0000-0000-0000-000000000000'

/** What postings are for. */
export const postingKinds = [
  /** Money arrives and waits. */
  'receive',
  /** A payment is credited: its fiat money goes into the exchange, the merchant gets its share. */
  'credit',
  'fee',
  /** What two operators credit without covering money. */
  'correct',
  /** Money arrives for a payment that has been credited. */
  'overpay',
  /** A surplus goes to the merchant, back to the payer, or to the operator. */
  'assign',
  'refund',
  'write-off',
  /** Money is set aside that belongs to no payment. */
  'ignore',
  /** A decision of an operator is undone. */
  'reverse',
  /** The bank took money back, or a report was withdrawn. */
  'return',
  /** A settlement reserves a merchant's balance, is paid out, or gives the balance back. */
  'hold',
  'payout',
  'release',
  /** Two operators agreed on a posting. */
  'adjust',
  /** Money left the bank for a purpose that nobody has named yet, or such money came back. */
  'send',
  /** An outgoing transfer is booked to what it was for, and no longer so. */
  'book',
  'unbook',
  /** What an account held before its first transfer. */
  'open',
] as const
/** One of `postingKinds`. */
export type PostingKind = (typeof postingKinds)[number]

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

/** What a bank books on an account, as a day of it is summed up. */
export const movementKinds = ['transfers', 'outgoing', 'given-back', 'reversals', 'refunds', 'adjustments'] as const
/** One of `movementKinds`. */
export type MovementKind = (typeof movementKinds)[number]

/** Names of the accounts (docs/domain.md §8.1). */
export const account = {
  /** Money at the bank on one requisite. */
  bank: (requisiteId: string): string => `bank:${requisiteId}`,
  /** Money that no payment has been credited for yet. */
  suspense: 'suspense',
  /** Owed to a payer who sent more than the payment took. */
  overpayment: (paymentId: string): string => `overpayment:${paymentId}`,
  /** Credited by two operators without covering money: what the operator paid out of its own pocket. */
  corrections: 'corrections',
  /** Money that belongs to no payment, as an operator decided. */
  ignored: 'ignored',
  /** What the bank took back of a payment when no account held it any more: a claim against somebody. */
  reversed: (paymentId: string): string => `reversed:${paymentId}`,
  /** Owed to a merchant and not yet paid out. */
  available: (merchantId: string): string => `merchant:${merchantId}:available`,
  /** Owed to a merchant and reserved by settlements that are under way. */
  held: (merchantId: string): string => `merchant:${merchantId}:held`,
  /** What settlements have paid out to a merchant so far. */
  paidOut: (merchantId: string): string => `merchant:${merchantId}:paid-out`,
  /** Earned by the operator. */
  fees: 'fees',
  /** Remainders that people book, such as those of an exchange; credits leave none. */
  rounding: 'rounding',
  /** Left the bank, and nobody has said what for. */
  unexplained: 'unexplained',
  /** Paid to banks for their services. */
  bankFees: 'bank-fees',
  /** Paid for what has no account of its own, as an operator explained. */
  expenses: 'expenses',
  /** What accounts held before the first transfer that was recorded. */
  opening: 'opening',
  /** Position of the exchange between a fiat currency and the quote currency. */
  exchange: (currency: string): string => `fx:${currency}`,
} as const

/** A posting between two accounts; where nothing else is said it is in the service's book and belongs to nothing. */
export const posting = (
  kind: PostingKind,
  [debit, credit]: readonly [debit: string, credit: string],
  { currency, amount }: { readonly currency: string; readonly amount: bigint },
  of: Partial<Pick<Posting, 'merchantId' | 'paymentId' | 'transferId' | 'documentId'>> = {},
): Posting => ({
  ...{ merchantId: serviceBook, paymentId: null, transferId: null },
  ...{ kind, debit, credit, currency, amount },
  ...of,
})

/** Money of a transfer that the bank has and the ledger has not yet. */
export type ArrivingMoney = { readonly transferId: string; readonly requisiteId: string; readonly amount: bigint }

/** Money arrives and waits, in the book of the payment that it was attributed to or, without one, in the service's. */
export const postReceipt = (
  payment: { readonly merchantId: string; readonly id: string } | null,
  currency: string,
  { transferId, requisiteId, amount }: ArrivingMoney,
): Posting => {
  const owner = payment && { merchantId: payment.merchantId, paymentId: payment.id }
  const accounts = [account.bank(requisiteId), account.suspense] as const
  return posting('receive', accounts, { currency, amount }, { ...owner, transferId })
}

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
  readonly plan: LockedFeePlan
}): Posting[] => {
  const { merchantId, paymentId, currency, arriving } = credit
  const { net, fee } = splitCredit(credit.gross, credit.plan)
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
    { ...quote, credit: account.available(merchantId), amount: net },
    { ...quote, kind: 'fee', credit: account.fees, amount: fee },
  ]
  return postings.filter(({ amount }) => amount > 0n)
}

/** Reversing entries: the same amounts the other way. */
export const reversePostings = (postings: readonly Posting[]): Posting[] =>
  postings.map((each) => ({ ...each, kind: 'reverse', debit: each.credit, credit: each.debit }))

/** Money that waits with a payment and is more than what is credited becomes a liability to its payer. */
export const postSurplus = (merchantId: string, paymentId: string, currency: string, amount: bigint): Posting => {
  const accounts = [account.suspense, account.overpayment(paymentId)] as const
  return posting('overpay', accounts, { currency, amount }, { merchantId, paymentId })
}

/** Money that waits in the service's book is set aside, because it belongs to no payment. */
export const postIgnored = (currency: string, { transferId, amount }: Omit<ArrivingMoney, 'requisiteId'>): Posting =>
  posting('ignore', [account.suspense, account.ignored], { currency, amount }, { transferId })

/** Money that arrives for a payment that was credited before becomes a liability to its payer. */
export const postOverpayment = (
  merchantId: string,
  paymentId: string,
  currency: string,
  { transferId, requisiteId, amount }: ArrivingMoney,
): Posting => {
  const accounts = [account.bank(requisiteId), account.overpayment(paymentId)] as const
  return posting('overpay', accounts, { currency, amount }, { merchantId, paymentId, transferId })
}

/** The largest balance of an account, in minor units: nine of them still fit the database's integers as one sum. */
export const maxBalance = 10n ** 18n

type BalanceChange = { merchantId: string; account: string; currency: string; change: bigint }

/** Net movement of each account of each book; debits count up, credits down. */
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
 * Money leaves the bank again: by default from where it waits, else from what a payer is owed or from `account.reversed` when
 * it is nowhere to be had. The reverse of `postReceipt`.
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

/** Far longer than the database lets a silent transaction live, and than the clocks of two processes differ. */
const finalAfterMs = 2 * minute

/**
 * Before this time nothing is posted any more: a posting has the time at which its transaction began, and becomes visible
 * when that ends. Exports end here, so that the same span is the same for ever.
 */
export const finalUntil = (now: Instant): Instant => now - finalAfterMs

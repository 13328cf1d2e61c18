import type { Queryable } from 'payin-database'
import type { Context, Tx } from '../context.ts'
import { account, type PostingKind, serviceBooks } from '../../rules/money/ledger.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import type { AssignedOverpayment } from '../../rules/transfers/overpayment.ts'
import { day, type Instant } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import {
  listAssigned,
  listBalances,
  listPostingsNewest,
  selectDebtors,
  selectMovements,
  selectMovementsBefore,
  listPostings,
  lockBalance,
  sumBalances,
  sumReversedCredits,
  sumUnproven,
} from './store.ts'

/** Which books are read: that of a merchant, or (`null`) all of a mode. */
export type BookFilter = { readonly merchantId: string | null; readonly mode: MerchantMode }

/** Balances per account and currency, debits less credits; of several books together. */
export const getBalances = (context: Context, books: BookFilter) =>
  context.query(listBalances, { ...books, serviceBook: serviceBooks[books.mode] })

/** Postings of one payment, in the order of posting. */
export const getEntries = (context: Context, merchantId: string, paymentId: string) =>
  context.query(listPostings, { merchantId, paymentId })

/** Sums of a mode by kind of account and currency, in minor units; debits and credits of a currency are equal. */
export const getTrialBalance = (context: Context, mode: MerchantMode) =>
  context.query(sumBalances, { mode, serviceBook: serviceBooks[mode] })

/** Movements of a merchant's available balance, the newest first, from before an id. */
export const listMovements = (
  context: Context,
  page: { readonly merchantId: string; readonly before: string | null; readonly limit: number },
) => context.query(selectMovements, { ...page, account: account.available(page.merchantId) })

/** What a settlement pays out, the newest first: what moved the available balance since the settlement before it. */
export const listSettledMovements = (
  context: Context,
  page: {
    readonly merchantId: string
    readonly settlementId: string
    readonly before: string | null
    readonly limit: number
  },
) => context.query(selectMovementsBefore, { ...page, account: account.available(page.merchantId) })

/** Those of some merchants (`null`: of all live ones) that owe more than they may, with their debts. */
export const listDebtors = (context: Context, merchantIds: readonly string[] | null, limit: number) =>
  context.query(selectDebtors, { merchantIds: merchantIds && [...merchantIds], limit })

/** What an account owes in minor units, locked against changes; negative if the account is owed money. */
export const lockOwed = async (tx: Tx, merchantId: string, owing: string, currency: string): Promise<bigint> => {
  const [row] = await tx.query(lockBalance, { merchantId, account: owing, currency })
  // Debits less credits: an owed amount is negative.
  return row ? -row.balance : 0n
}

/** As `sumUnproven`, of one merchant and currency. */
export type Unproven = ReturnType<typeof sumUnproven.decode>

/**
 * What of the credits of merchants no bank has proven yet, or waits, by merchant and currency; `undefined` for nothing.
 * Leaves out the credit of the payment `except`.
 */
export const readUnproven = async (
  sql: Queryable,
  merchantIds: readonly string[],
  except: string | null = null,
): Promise<(merchantId: string, currency: string) => Unproven | undefined> => {
  const wanted = { merchantIds: [...new Set(merchantIds)], exceptPaymentId: except }
  const rows = merchantIds.length === 0 ? [] : await sql.query(sumUnproven, wanted)
  const byKey = new Map(rows.map((row) => [`${row.merchantId} ${row.currency}`, row]))
  return (merchantId, currency) => byKey.get(`${merchantId} ${currency}`)
}

/** How much of a payment's credit its banks have reversed, in minor units of its currency. */
export const sumReversed = async (tx: Tx, merchantId: string, paymentId: string): Promise<bigint> => {
  const [row] = await tx.query(sumReversedCredits, { merchantId, paymentId })
  return row?.amount ?? 0n
}

/** What merchants still have of a payment's assigned overpayment, by decision, the latest first. */
export const getAssigned = (tx: Tx, merchantId: string, paymentId: string): Promise<AssignedOverpayment[]> =>
  tx.query(listAssigned, { merchantId, paymentId })

/** Which postings are wanted; `account` is debited or credited by them. */
type JournalFilter = BookFilter & {
  readonly account: string | null
  readonly kind: PostingKind | null
  readonly from: Instant
  readonly to: Instant
}

/** Postings of a span, the newest first, from before an id. */
export const listJournalPage = (
  context: Context,
  filter: JournalFilter,
  page: { readonly before: string | null; readonly limit: number },
) => {
  // Ids are newer than the time of their transaction, or slightly older if a clock is slow; by far less than a day.
  const [least, latest] = [leastIdAt(filter.from - day), leastIdAt(filter.to + day)]
  const before = page.before !== null && page.before < latest ? page.before : latest
  const serviceBook = serviceBooks[filter.mode]
  return context.query(listPostingsNewest, { ...filter, serviceBook, least, before, limit: page.limit })
}

import { refuseField } from '../refusal.ts'
import { day, formatInstant, type Instant } from '../time.ts'
import { csvLine } from '../values/csv.ts'
import { amountDigits } from '../values/currency.ts'
import type { PostingKind } from './ledger.ts'

/** What changes a merchant's available balance, as its report sums it up. */
export const reportLines = [
  'payments',
  'overpayments',
  'refunds',
  'reversals',
  'settlements',
  'released',
  'adjustments',
] as const
export type ReportLine = (typeof reportLines)[number]

const lineOfKind: Readonly<Partial<Record<PostingKind, ReportLine>>> = {
  ...{ credit: 'payments', fee: 'payments', assign: 'overpayments', refund: 'refunds' },
  ...{ reverse: 'reversals', return: 'reversals', hold: 'settlements', release: 'released' },
}

/** What becomes of a report by e-mail. */
export const reportMailStates = ['pending', 'sending', 'sent', 'failed', 'dropped'] as const
export type ReportMailState = (typeof reportMailStates)[number]

/** Sums of a line in minor units: what it added before fees, the fees, and what is left for the merchant. */
export type ReportSums = {
  readonly line: ReportLine
  readonly count: number
  readonly gross: bigint
  readonly fee: bigint
  readonly change: bigint
}

/** A merchant's balance in a currency over a day or a month, from the ledger. */
export type MerchantReport = {
  readonly merchantName: string
  /** Whether its money is not real. */
  readonly isTest: boolean
  readonly currency: string
  /** `2026-01-31` or `2026-01`, in UTC. */
  readonly period: string
  readonly from: Instant
  /** Where it ends: with the period or, while that lasts, two minutes ago. */
  readonly until: Instant
  readonly isEnded: boolean
  readonly opening: bigint
  readonly closing: bigint
  readonly lines: readonly ReportSums[]
  /** What settlements paid out. */
  readonly paidOut: bigint
  /** The credited payments by their own currency: what they asked for, and the money that came for their credits. */
  readonly payments: readonly {
    readonly currency: string
    readonly count: number
    readonly asked: bigint
    readonly received: bigint
  }[]
}

/** The beginning and the end of a day or a month in UTC. Refuses `validation_failed` if there is none. */
export const readPeriod = (period: string): { readonly from: Instant; readonly to: Instant } => {
  const isMonth = period.length === 7
  const from = Date.parse(`${period}${isMonth ? '-01' : ''}T00:00:00Z`)
  if (Number.isNaN(from) || !formatInstant(from).startsWith(period))
    throw refuseField('period', 'is not a day or a month, such as 2026-01-31 or 2026-01.')
  const start = new Date(from)
  const to = isMonth ? Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) : from + day
  return { from, to }
}

type ByKind = {
  readonly kind: PostingKind
  readonly count: number
  readonly change: bigint
  readonly fee: bigint
}

/** Sums of kinds of postings as lines of a report, also the kinds without postings. */
export const sumLines = (sums: readonly ByKind[]): readonly ReportSums[] =>
  reportLines.map((line) => {
    const own = sums.filter(({ kind }) => (lineOfKind[kind] ?? 'adjustments') === line)
    const moved = own.filter(({ change, fee }) => change !== 0n || fee !== 0n)
    const [change, fee] = (['change', 'fee'] as const).map((name) => own.reduce((sum, each) => sum + each[name], 0n))
    // A payment's credit and its fee are one.
    const count =
      line === 'payments'
        ? Math.max(0, ...moved.map((each) => each.count))
        : moved.reduce((sum, each) => sum + each.count, 0)
    return { line, count, gross: (change ?? 0n) + (fee ?? 0n), fee: fee ?? 0n, change: change ?? 0n }
  })

/** Throws if the sums do not lead from the opening to the closing balance, so that nobody gets a wrong report. */
export const assertAddsUp = ({ opening, closing, lines }: MerchantReport): void => {
  const present = lines.reduce((sum, { change }) => sum + change, opening)
  if (present !== closing) throw new Error(`a report ends with ${present} instead of ${closing}`)
}

/** Whether nothing was there, and nothing has happened. */
export const isEmpty = ({ opening, lines, payments }: MerchantReport): boolean =>
  opening === 0n &&
  payments.length === 0 &&
  lines.every(({ count, gross, fee }) => count === 0 && gross === 0n && fee === 0n)

/** The report as CSV: balances, lines, and the payments by their currency. */
export const reportToCsv = (report: MerchantReport): string => {
  const { currency, opening, closing, lines, paidOut, payments } = report
  const text = (amount: bigint, of = currency): string => amountDigits(amount, of)
  const row = (line: string, count: number | null, of: string, sums: readonly (bigint | null)[]): string =>
    csvLine([line, count, of, ...sums.map((sum) => (sum === null ? null : text(sum, of)))])
  return [
    csvLine(['line', 'count', 'currency', 'asked', 'received', 'gross', 'fee', 'change', 'balance']),
    row('opening', null, currency, [null, null, null, null, null, opening]),
    ...lines.map(({ line, count, gross, fee, change }) =>
      row(line, count, currency, [null, null, gross, fee, change, null]),
    ),
    row('closing', null, currency, [null, null, null, null, null, closing]),
    row('paid-out', null, currency, [null, null, paidOut, null, null, null]),
    ...payments.map(({ currency: of, count, asked, received }) =>
      row('payments-asked', count, of, [asked, received, null, null, null, null]),
    ),
  ].join('')
}

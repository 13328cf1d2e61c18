import type { Context } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { earliestOf } from '../../../rules/values/booked-time.ts'
import {
  type ComparableReport,
  type Duplicate,
  type KnownTransfer,
  movedMs,
  type NewReport,
  pairDuplicates,
  sameMoneyMs,
} from '../../../rules/transfers/duplicate.ts'
import { readPayer, type ReportedPayer } from '../../../rules/transfers/one-payer.ts'
import { letters } from 'bank-files/pure'
import { day, type Instant } from '../../../rules/time.ts'
import { firstKeyOf, type ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { mergeSpans } from '../../../rules/transfers/merge-spans.ts'
import { letOthersRun } from '../../let-others-run.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { openSealed } from '../sealed-transfers.ts'
import { listAlike, listMoneyByKey, listNearby, listReportedElsewhere } from './store.ts'

/** A report that is compared with earlier ones; without a channel it is compared with none. */
export type ChannelReport = ComparableReport &
  Pick<NewReport, 'likeness' | 'sameMoneySources' | 'listed'> &
  Partial<Pick<ReportedTransfer, 'sender' | 'senderName' | 'text' | 'dedupeKey'>> & {
    readonly channel?: string | null
    readonly source: string
  }

/**
 * Finds which transfers the reporter also reports in rows that are not compared, and whether that is certain: then no
 * other row duplicates it; else none does for certain.
 */
export type FindReported = (
  transfers: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
) => Promise<ReadonlyMap<string, boolean>>

type Compared = ChannelReport & { readonly channel: string }

/** Who paid a transfer, from its sealed number and name. */
export const openPayer = (
  sql: Pick<Context, 'vault'>,
  row: string,
  sealed: { readonly senderSealed: string | null; readonly senderNameSealed: string | null },
): ReportedPayer =>
  readPayer(
    openSealed(sql, 'sender_sealed', row, sealed.senderSealed),
    openSealed(sql, 'sender_name_sealed', row, sealed.senderNameSealed),
  )

type Comparing = Pick<Context, 'query' | 'vault'>

type Earlier = Omit<KnownTransfer, 'localDay' | 'payer' | 'letters'> & {
  readonly dedupeKey: string
  readonly comparedChannel: string
  readonly read?: () => Pick<KnownTransfer, 'payer' | 'letters'>
}

/**
 * Pairs reports with earlier ones by their index, one set of partners after the other; never with those that
 * `findReported` returns for certain. If a file has the reference of a transfer of its channel that it leaves out, the
 * bank has numbered its bookings again: then another reference is no proof of another booking.
 */
export const pairReports = async (
  sql: Comparing,
  reports: readonly Compared[],
  known: readonly (readonly Earlier[])[],
  findReported: FindReported,
): Promise<Map<number, Duplicate>> => {
  const all = known.flat()
  if (all.length === 0) return new Map()
  const reported = await findReported(all)
  const offsets = await requisiteOffsets(sql, [...new Set(all.map((each) => each.requisiteId))])
  const dated = <T extends { readonly requisiteId: string; readonly bookedAt: Instant }>(each: T) => ({
    ...each,
    localDay: Math.floor((each.bookedAt + (offsets.get(each.requisiteId) ?? 0)) / day),
  })
  const pairs = new Map<number, Duplicate>()
  const indexed = reports.map((report, index) => ({ report, index }))
  for (const [channel, own] of Map.groupBy(indexed, ({ report }) => report.channel)) {
    const named = new Set(
      own.flatMap(({ report: { requisiteId, bankReference, dedupeKey = '' } }) => [
        `${requisiteId} ${bankReference}`,
        `${requisiteId} ${firstKeyOf(dedupeKey)}`,
      ]),
    )
    const toKnown = ({ read, ...each }: Earlier): KnownTransfer => {
      const isReused = [each.bankReference, each.dedupeKey].some((name) => named.has(`${each.requisiteId} ${name}`))
      return dated({ ...each, ...read?.(), ...(isReused && each.channel === channel && { referenceKind: null }) })
    }
    for (const partners of known) {
      const left = own.filter(({ index }) => !pairs.has(index))
      const reporting = left.map(({ report }) => ({
        ...dated(report),
        payer: readPayer(report.sender ?? null, report.senderName ?? null),
        letters: letters(report.text ?? null),
      }))
      const others = partners.filter((each) => each.comparedChannel === channel && reported.get(each.id) !== true)
      for (const [at, pair] of await pairDuplicates(reporting, others.map(toKnown), letOthersRun))
        pairs.set(left[at]?.index ?? -1, { ...pair, isCertain: pair.isCertain && !reported.has(pair.other.id) })
    }
  }
  return pairs
}

/** The spans in which earlier reports may be the same money; one with only a day may end a day later. */
const spansAround = (reports: readonly Compared[], margin: number) =>
  mergeSpans(
    reports.map((each) => ({ ...each, since: earliestOf(each) - margin, until: each.bookedAt + margin + day })),
  )

const listKnown = async (sql: Comparing, compared: readonly Compared[], isLone: boolean): Promise<Earlier[]> => {
  const elsewhere = await sql.query(listReportedElsewhere, { isLone, rows: spansAround(compared, sameMoneyMs) })
  const ofFiles = spansAround(
    compared.filter(({ listed }) => listed !== undefined),
    movedMs,
  )
  const nearby = ofFiles.length > 0 ? await sql.query(listNearby, { rows: ofFiles }) : []
  const likenesses = likenessesOf(compared)
  const alike = likenesses.length > 0 ? await sql.query(listAlike, { rows: likenesses }) : []
  const isListed = new Set(alike.map(({ reportId }) => reportId))
  const open = ({
    reportId,
    ...report
  }: (typeof alike)[number] & { readonly textSealed?: string | null }): Earlier => ({
    ...report,
    // The banks of one channel may name its payer in several ways.
    read: () => ({
      payer: openPayer(sql, reportId, report),
      letters: letters(openSealed(sql, 'text_sealed', reportId, report.textSealed ?? null)),
    }),
  })
  const moved = nearby.filter(({ reportId }) => !isListed.has(reportId))
  return [...alike.map(open), ...moved.map(open), ...elsewhere]
}

/** Reports with a likeness, each requisite, channel and likeness once. */
export const likenessesOf = <Each extends Compared>(reports: readonly Each[]) => [
  ...new Map(
    reports.flatMap(({ likeness = null, ...each }) =>
      likeness === null ? [] : [[`${each.requisiteId} ${each.channel} ${likeness}`, { ...each, likeness }]],
    ),
  ).values(),
]

/**
 * Which reports are, or may be, transfers that were reported before, by the index of the report (docs/domain.md §6.3).
 * What gives way to the bank's own reports pairs only with those that are left, unless one operator alone makes them
 * (`isLone`), too.
 */
export const findDuplicates = async (
  sql: Comparing,
  reports: readonly ChannelReport[],
  findReported: FindReported,
  isLone = false,
): Promise<Map<number, Duplicate>> => {
  const compared = reports.flatMap(({ channel = null, ...report }, index) =>
    channel === null ? [] : [{ ...report, channel, index }],
  )
  if (compared.length === 0) return new Map()
  const all = await listKnown(sql, compared, isLone)
  const [others = [], lone = []] = [false, true].map((which) =>
    all.filter(({ givesWay = false }) => givesWay === which),
  )
  const pairs = await pairReports(sql, compared, isLone ? [all] : [others, lone], findReported)
  return new Map([...pairs].map(([at, pair]) => [compared[at]?.index ?? -1, pair]))
}

/**
 * Transfers whose reference and amount already occur in their file and that are not in `found`, by index, each with the
 * first booking. Banks split a sum into equal parts under one reference, and files contain rows twice: neither can be
 * recognised here, unless the file proves it.
 */
export const findFurtherBookings = async (
  sql: Queryable,
  transfers: readonly (Pick<ReportedTransfer, 'requisiteId' | 'source' | 'isProven'> & {
    readonly id: string
    readonly dedupeKey: string
  })[],
  found: ReadonlyMap<number, Duplicate>,
): Promise<Map<number, Duplicate>> => {
  const further = transfers.flatMap(({ requisiteId, dedupeKey }, index) => {
    const firstKey = firstKeyOf(dedupeKey)
    return firstKey === undefined || found.has(index) ? [] : [{ index, requisiteId, dedupeKey: firstKey }]
  })
  if (further.length === 0) return new Map()
  const firsts = await sql.query(listMoneyByKey, { rows: further })
  // Transfers of this report that are certain duplicates; they have no parts yet that say so.
  const certain = new Map(
    transfers.flatMap(({ id }, index) => {
      const duplicate = found.get(index)
      return duplicate?.isCertain ? [[id, duplicate.other] as const] : []
    }),
  )
  const byKey = new Map(firsts.map((each) => [`${each.requisiteId} ${each.dedupeKey}`, each]))
  return new Map(
    further.flatMap(({ index, requisiteId, dedupeKey }) => {
      const first = byKey.get(`${requisiteId} ${dedupeKey}`)
      if (!first) return []
      // What an earlier file had under the reference may be this row.
      const { isProven = false, source } = transfers[index] ?? {}
      if (isProven && first.source === source) return []
      const other = certain.get(first.reportId) ?? first
      return [[index, { other, isCertain: false, how: 'one-reference' as const }] as const]
    }),
  )
}

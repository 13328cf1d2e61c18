import type { Context } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { earliestOf } from '../../../rules/statements/booked-time.ts'
import {
  type ComparableReport,
  type Duplicate,
  movedMs,
  type NewReport,
  pairDuplicates,
  sameMoneyMs,
} from '../../../rules/transfers/duplicate.ts'
import { readPayer, type ReportedPayer } from '../../../rules/transfers/one-payer.ts'
import { letters } from 'bank-files/pure'
import { day, type Instant } from '../../../rules/time.ts'
import { firstKeyOf, type ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { listAlike, listMoneyByKey, listNearby, listReportedElsewhere } from './store.ts'

/** A report that is compared with earlier ones; without a channel it is compared with none. */
export type ChannelReport = ComparableReport &
  Pick<NewReport, 'likeness' | 'sameMoneySources' | 'listed'> &
  Partial<Pick<ReportedTransfer, 'sender' | 'senderName' | 'text' | 'dedupeKey'>> & {
    readonly channel?: string | null
    readonly source: string
  }

/**
 * Finds which of some transfers the reporter also reports in rows that are not compared; returns their ids, and whether
 * that is certain. Such a transfer is the money of that row, so no other row duplicates it; or none does for certain.
 */
export type FindReported = (
  transfers: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
) => Promise<ReadonlyMap<string, boolean>>

type Compared = ChannelReport & { readonly channel: string; readonly index: number }

/** Who paid a transfer, from its sealed number and name. */
export const openPayer = (
  vault: Context['vault'],
  row: string,
  sealed: { readonly senderSealed: string | null; readonly senderNameSealed: string | null },
): ReportedPayer => {
  const open = (value: string | null, column: string): string | null =>
    value === null ? null : vault.decrypt(value, { table: 'transfers', column, row })
  return readPayer(open(sealed.senderSealed, 'sender_sealed'), open(sealed.senderNameSealed, 'sender_name_sealed'))
}

/** The sealed text of a transfer. */
export const openText = (vault: Context['vault'], row: string, textSealed: string | null): string | null =>
  textSealed === null ? null : vault.decrypt(textSealed, { table: 'transfers', column: 'text_sealed', row })

/** The report of a transfer with its payer, whom the banks of one channel may name in several ways. */
const withPayer = (
  vault: Context['vault'],
  { reportId: row, ...report }: ReturnType<typeof listAlike.decode> & { readonly textSealed?: string | null },
) => ({
  ...report,
  payer: openPayer(vault, row, report),
  letters: letters(openText(vault, row, report.textSealed ?? null)),
})

/**
 * Earlier transfers of a channel as its new reports are compared with them. If a file has the reference of a transfer
 * that it leaves out, the bank has numbered its bookings again: then another reference is no proof of another booking.
 */
export const withoutReused = <Known extends ComparableReport & { readonly dedupeKey: string }>(
  earlier: readonly Known[],
  reports: readonly (Pick<ComparableReport, 'requisiteId' | 'bankReference'> & { readonly dedupeKey?: string })[],
): Known[] => {
  const named = new Set(
    reports.flatMap(({ requisiteId, bankReference, dedupeKey = '' }) => [
      `${requisiteId} ${bankReference}`,
      `${requisiteId} ${firstKeyOf(dedupeKey)}`,
    ]),
  )
  return earlier.map((each) => {
    const isReused = [each.bankReference, each.dedupeKey].some((name) => named.has(`${each.requisiteId} ${name}`))
    return isReused ? { ...each, referenceKind: null } : each
  })
}

type Comparing = Pick<Context, 'query' | 'vault'>

const listKnown = async (sql: Comparing, compared: readonly Compared[], isLone: boolean) => {
  const distinct = new Map(
    compared.map((each) => [JSON.stringify([each.requisiteId, `${each.amount}`, each.channel, each.bookedAt]), each]),
  )
  const spans = [...distinct.values()].map((each) => ({
    ...each,
    since: earliestOf(each) - sameMoneyMs,
    // A report with only a day may begin within that time and end a day later.
    until: each.bookedAt + sameMoneyMs + day,
  }))
  const elsewhere = await sql.query(listReportedElsewhere, { isLone, rows: spans })
  const ofFiles = spans
    .filter(({ listed }) => listed !== undefined)
    .map((each) => ({ ...each, since: earliestOf(each) - movedMs, until: each.bookedAt + movedMs + day }))
  const nearby = ofFiles.length > 0 ? await sql.query(listNearby, { rows: ofFiles }) : []
  const likenesses = new Map(
    compared.flatMap(({ likeness = null, ...each }) =>
      likeness === null ? [] : [[`${each.requisiteId} ${each.channel} ${likeness}`, { ...each, likeness }]],
    ),
  )
  const alike = likenesses.size > 0 ? await sql.query(listAlike, { rows: [...likenesses.values()] }) : []
  const isListed = new Set(alike.map(({ reportId }) => reportId))
  return { earlier: [...alike, ...nearby.filter(({ reportId }) => !isListed.has(reportId))], elsewhere }
}

/**
 * Which reports are, or may be, transfers that were reported before, by the index of the report. Through another
 * channel: the same amount on the same requisite within a day, with nothing that contradicts it. Through the same
 * channel: a row whose text has changed or whose day is a neighbouring one, for as many earlier rows as the file no
 * longer reports. Each transfer pairs with one report of a channel (docs/domain.md §6.3). What gives way to the bank's own
 * reports pairs only with those that are left, unless one operator alone makes them (`isLone`), too.
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
  const { earlier, elsewhere } = await listKnown(sql, compared, isLone)
  const known = [...earlier, ...elsewhere]
  if (known.length === 0) return new Map()
  const reported = await findReported(known)
  const offsets = await requisiteOffsets(sql, [...new Set(known.map((each) => each.requisiteId))])
  const dated = <T extends { readonly requisiteId: string; readonly bookedAt: Instant }>(each: T) => ({
    ...each,
    localDay: Math.floor((each.bookedAt + (offsets.get(each.requisiteId) ?? 0)) / day),
  })
  const pairs = new Map<number, Duplicate>()
  for (const [channel, own] of Map.groupBy(compared, (each) => each.channel)) {
    const isLeft = (each: (typeof known)[number]): boolean =>
      each.comparedChannel === channel && reported.get(each.id) !== true
    const before = withoutReused(earlier.filter(isLeft), own)
    const all = [...before.map((each) => withPayer(sql.vault, each)), ...elsewhere.filter(isLeft)]
    const reporting = own.map((each) => ({
      ...each,
      payer: readPayer(each.sender ?? null, each.senderName ?? null),
      letters: letters(each.text ?? null),
    }))
    const [lone = [], others = []] = [true, false].map((which) => all.filter(({ givesWay }) => givesWay === which))
    for (const partners of isLone ? [all] : [others, lone]) {
      const left = reporting.filter(({ index }) => !pairs.has(index))
      for (const [at, pair] of pairDuplicates(left.map(dated), partners.map(dated)))
        pairs.set(left[at]?.index ?? -1, { ...pair, isCertain: pair.isCertain && !reported.has(pair.other.id) })
    }
  }
  return pairs
}

/**
 * Transfers whose reference and amount already occur in their file, by index, each with the first booking; those in
 * `found` are left out, because they are already paired. Banks split a sum into equal parts under one reference, and
 * files contain rows twice: neither can be recognised here, unless the file proves it.
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

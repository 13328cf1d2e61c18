import type { Queryable } from 'payin-database'
import { judgeParts, judgeSum, type OtherForm } from '../../../rules/transfers/other-form.ts'
import { day, startOfDay } from '../../../rules/time.ts'
import { sameBookingMs } from '../../../rules/transfers/transfer.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import type { OpenRow } from '../open-rows.ts'
import type { FindReported } from '../../transfers/duplicates/find-duplicates.ts'
import { type Neighbours, noNeighbours } from '../totals/find-neighbours.ts'
import { listBatches, listReportedInStatement, listSums } from './store.ts'

/** A row with what is known of the booking that it is the sum of, or the first part of. */
type Asked = OpenRow & { readonly bookingAmount: bigint; readonly isPart: boolean; readonly byDay: boolean }

/** A sum about which nothing was decided, and the positions of the parts that replace it. */
export type ReplacedSum = { readonly requisiteId: string; readonly id: string; readonly parts: readonly number[] }

export type OtherForms = {
  readonly forms: ReadonlyMap<number, OtherForm>
  readonly replaced: readonly ReplacedSum[]
}

const isPart = ({ amount, bookingAmount }: OpenRow): boolean => bookingAmount !== null && bookingAmount !== amount

const mayBeSum = ({ bookingPayments, isNamed }: OpenRow): boolean =>
  bookingPayments === null ? !isNamed : bookingPayments > 1

const withTimes = async (sql: Queryable, rows: readonly Asked[]) => {
  const offsets = await requisiteOffsets(sql, [...new Set(rows.map(({ requisiteId }) => requisiteId))])
  return rows.map((row) => {
    const since = startOfDay(row.bookedAt, offsets.get(row.requisiteId) ?? 0)
    const near = { earliestAt: row.bookedAt - sameBookingMs, latestAt: row.bookedAt + sameBookingMs }
    return { ...row, ...near, since, until: since + day - 1 }
  })
}

/** Finds the transfers that a statement, or others with money besides it, report; with `paired`, or may duplicate. */
export const reportedInStatement =
  (
    sql: Queryable,
    { statementId, neighbours, paired }: { statementId: string; neighbours: Neighbours; paired: boolean },
  ): FindReported =>
  async (transfers) => {
    const { certain, possible, partial } = neighbours
    const found = await sql.query(listReportedInStatement, {
      ...{ statementId, neighbours: certain, possible: [...possible, ...partial], paired },
      rows: transfers,
    })
    return new Map(found.map(({ id, isCertain }) => [id, isCertain]))
  }

/**
 * Finds rows whose money other reports have in another form: as the sum of several payments, or as those payments
 * (docs/domain.md §6.3). Parts replace a sum about which nothing was decided, and a sum after its parts is certainly
 * the same money. Everything else waits.
 */
export const findOtherForms = async (
  sql: Queryable,
  statementId: string,
  rows: readonly OpenRow[],
  { first, replaced: before }: { readonly first: number; readonly replaced: ReadonlySet<string> },
): Promise<OtherForms> => {
  const compared = rows.flatMap((row): Asked[] => {
    if (row.kind !== 'booked' && row.kind !== 'outgoing') return []
    const own = { isPart: isPart(row), byDay: isPart(row) || mayBeSum(row) }
    return own.byDay || row.bookingReference !== null
      ? [{ ...row, ...own, bookingAmount: row.bookingAmount ?? row.amount }]
      : []
  })
  const forms = new Map<number, OtherForm>()
  const replaced: ReplacedSum[] = []
  if (compared.length === 0) return { forms, replaced }
  const dated = await withTimes(sql, compared)
  // Parts of one booking, and of others that nothing distinguishes from it.
  const bookings = Map.groupBy(
    dated.filter((row) => row.isPart),
    (row) =>
      JSON.stringify([
        row.requisiteId,
        row.kind,
        row.bookingReference,
        `${row.bookingAmount}`,
        row.bookingPayments,
        row.since,
      ]),
  )
  const asked = [...[...bookings.values()].flatMap(([row]) => row ?? []), ...dated.filter((row) => !row.isPart)]
  const ofParts = asked
    .filter((row) => row.isPart || row.bookingReference !== null)
    .map((row) => ({ ...row, byDay: row.isPart }))
  const ofSums = asked.filter((row) => !row.isPart || row.bookingReference !== null)
  const found = ofParts.length > 0 ? await sql.query(listSums, { statementId, first, rows: ofParts }) : []
  const reported =
    found.length > 0
      ? await reportedInStatement(sql, { statementId, neighbours: noNeighbours, paired: false })(found)
      : new Map()
  const batches = ofSums.length > 0 ? await sql.query(listBatches, { statementId, rows: ofSums }) : []
  const sumsOf = Map.groupBy(
    found.filter(({ id, isReplaced }) => isReplaced || !reported.has(id)),
    (each) => each.position,
  )
  const batchesOf = Map.groupBy(batches, (each) => each.position)
  const gone = new Set(before)
  for (const members of bookings.values()) {
    const [row] = members
    if (!row) continue
    const verdict = judgeParts(row, sumsOf.get(row.position) ?? [], batchesOf.get(row.position) ?? [], gone)
    if ('id' in verdict) for (const { position } of members) forms.set(position, verdict)
    else {
      const payments = row.bookingPayments ?? members.length
      // Bookings that began in an earlier set have replaced their sums.
      const begun = verdict[0]?.isReferred ? 0 : (verdict[0]?.earlier ?? 0)
      const most = Math.ceil((begun + members.length) / payments) - Math.ceil(begun / payments)
      const parts = members.map(({ position }) => position)
      for (const { requisiteId, id } of verdict.slice(0, most)) {
        gone.add(id)
        replaced.push({ requisiteId, id, parts })
      }
    }
  }
  const taken = new Set(batches.flatMap(({ summed }) => summed))
  for (const row of asked) {
    if (row.isPart) continue
    const form = judgeSum(row, sumsOf.get(row.position) ?? [], batchesOf.get(row.position) ?? [], taken)
    if (!form) continue
    taken.add(form.id)
    forms.set(row.position, form)
  }
  return { forms, replaced }
}

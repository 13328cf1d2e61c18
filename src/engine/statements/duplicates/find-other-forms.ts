import type { Queryable } from 'payin-database'
import type { OtherForm } from '../../../rules/transfers/booking.ts'
import { day, startOfDay } from '../../../rules/time.ts'
import { sameBookingMs } from '../../../rules/transfers/transfer.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import type { OpenRow } from '../open-rows.ts'
import type { FindReported } from '../../transfers/duplicates/find-duplicates.ts'
import { type Neighbours, noNeighbours } from '../totals/find-neighbours.ts'
import { listBatches, listReportedInStatement, listSums } from './store.ts'

/** A row with what is known of the booking that it is the sum of, or the first part of. */
type Asked = OpenRow & { readonly bookingAmount: bigint; readonly isPart: boolean; readonly byDay: boolean }

type Sum = ReturnType<typeof listSums.decode>
type Batch = ReturnType<typeof listBatches.decode>

/** A sum about which nothing was decided, and the positions of the parts that replace it. */
export type ReplacedSum = { readonly requisiteId: string; readonly id: string; readonly parts: readonly number[] }

export type OtherForms = {
  readonly forms: ReadonlyMap<number, OtherForm>
  readonly replaced: readonly ReplacedSum[]
}

const isPart = ({ amount, bookingAmount }: OpenRow): boolean => bookingAmount !== null && bookingAmount !== amount

const mayBeSum = ({ bookingPayments, isNamed }: OpenRow): boolean =>
  bookingPayments === null ? !isNamed : bookingPayments > 1

const isEntry = ({ bankReference, bookingReference }: OpenRow): boolean =>
  bookingReference !== null && bankReference === bookingReference

const doubt = (id: string, how: OtherForm['how']): OtherForm => ({ id, isCertain: false, how })

/** Two different references of a bank are no proof of one booking, whatever else agrees. */
const mayAgree = (row: OpenRow, known: { readonly hasReference: boolean; readonly payments: number | null }): boolean =>
  known.payments === row.bookingPayments && !(known.hasReference && row.bookingReference !== null)

/** Which sums a booking in parts replaces; or, if that is not certain, the transfer that it may be. */
const judgeParts = (
  row: Asked,
  sums: readonly Sum[],
  batches: readonly Batch[],
  gone: ReadonlySet<string>,
): OtherForm | readonly Sum[] => {
  const referred = sums.filter((each) => each.isReferred)
  // Earlier parts of it have replaced its sum.
  if (referred.some((each) => each.isReplaced || gone.has(each.id))) return []
  const own = referred.filter(({ amount }) => amount === row.bookingAmount)
  const odd = own.find(({ payments }) => payments !== null && payments !== row.bookingPayments)
  if (odd) return doubt(odd.id, 'contradicts')
  if (own.length === 0) {
    const [part] =
      batches.find((each) => each.isReferred && (each.amount === row.bookingAmount || each.hasEntry))?.parts ?? []
    const other = part ?? referred.find((each) => each.isEntry)?.id
    if (other !== undefined) return doubt(other, 'contradicts')
  }
  const byDay = sums.filter((each) => !each.isReferred && !gone.has(each.id))
  const fitting = own.length > 0 ? own : byDay.filter((each) => mayAgree(row, each))
  const closed = fitting.find((each) => each.isDecided || each.isDoubtful)
  if (closed) return doubt(closed.id, closed.isDecided ? 'decided' : 'unclear')
  if (fitting.length > 0) return fitting
  const unclear = byDay.find(({ payments, isNamed }) =>
    payments === null ? !isNamed : payments === row.bookingPayments,
  )
  return unclear ? doubt(unclear.id, 'unclear') : []
}

/** The first part of a booking that has no sum yet. */
const findFree = (batches: readonly Batch[], taken: ReadonlySet<string>): string | undefined =>
  batches
    .flatMap(({ parts, payments }) => parts.filter((_, index) => index % (payments ?? parts.length) === 0))
    .find((part) => !taken.has(part))

/** The transfer whose money, or part of it, a sum is. */
const judgeSum = (
  row: Asked,
  sums: readonly Sum[],
  batches: readonly Batch[],
  taken: ReadonlySet<string>,
): OtherForm | undefined => {
  const certain = (id: string | undefined): OtherForm | undefined =>
    id === undefined ? undefined : { id, isCertain: true, how: 'same' }
  const referred = batches.filter((each) => each.isReferred)
  const own = referred.filter(({ amount }) => amount === row.amount)
  const { bookingPayments: stated } = row
  if (own[0]) {
    const agreeing = own.filter(({ payments, parts }) => stated === null || stated === (payments ?? parts.length))
    return certain(findFree(agreeing, taken)) ?? doubt(own[0].parts[0] ?? '', 'contradicts')
  }
  // A payment that is the only one of its booking may have a reference of its own.
  const twin = sums.find((each) => each.isReferred && each.amount === row.amount && each.isEntry !== isEntry(row))
  if (twin) return twin.isDoubtful || taken.has(twin.id) ? doubt(twin.id, 'unclear') : certain(twin.id)
  const [other] = referred
  if (other && isEntry(row)) return doubt(other.parts[0] ?? '', 'contradicts')
  const byDay = batches.filter((each) => !each.isReferred)
  const counted = byDay.filter((each) => mayAgree(row, each))
  if (counted.length > 0) return certain(findFree(counted, taken))
  const unclear = findFree(
    byDay.filter(({ payments }) => stated === null || stated === payments),
    taken,
  )
  return unclear === undefined ? undefined : doubt(unclear, 'unclear')
}

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

import type { Queryable } from '../../database/database.ts'
import { day, type Instant } from '../../domain/time.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { reportedInStatement } from './reported-in-statement.ts'
import { listBatches, listSums } from './store.ts'

/** An incoming row, and the booking that it is the sum of, or a part of. */
type FormedRow = {
  readonly position: number
  readonly requisiteId: string
  readonly amount: bigint
  readonly bookedAt: Instant
  readonly channel: string
  readonly bookingAmount: bigint | null
  readonly bookingPayments: number | null
  /** Whether it names a payer: then it is no sum of unknown payments. */
  readonly isNamed: boolean
}

/** A row with the day of its account. */
type DatedRow = FormedRow & { readonly since: Instant; readonly until: Instant }

/** The transfer that a row has in another form. */
type OtherForm = { readonly id: string; readonly isCertain: boolean }

/** A sum about which nothing was decided, and the first of the parts that replace it. */
type ReplacedSum = { readonly requisiteId: string; readonly id: string; readonly part: number }

/** The rows that other reports have in another form, by their positions, and the sums that they replace. */
export type OtherForms = { readonly forms: ReadonlyMap<number, OtherForm>; readonly replaced: readonly ReplacedSum[] }

const isPart = ({ amount, bookingAmount, bookingPayments }: FormedRow): boolean =>
  bookingAmount !== null && bookingAmount !== amount && (bookingPayments ?? 0) > 1

const mayBeSum = (row: FormedRow): boolean =>
  !isPart(row) && (row.bookingPayments === null ? !row.isNamed : row.bookingPayments > 1)

/** What is known of the sums of parts: those of as many payments, or else those of nobody knows how many. */
const findSums = async (sql: Queryable, statementId: string, parts: readonly DatedRow[]): Promise<OtherForms> => {
  const bookings = [
    ...Map.groupBy(parts, (row) =>
      [row.requisiteId, row.bookingAmount, row.bookingPayments, row.since].join(' '),
    ).values(),
  ]
  const wanted = bookings.flatMap(([row]) => (row ? [{ ...row, amount: row.bookingAmount ?? 0n }] : []))
  const found = await sql.query(listSums, { rows: wanted })
  const reported = found.length > 0 ? await reportedInStatement(sql, statementId, { paired: false })(found) : new Set()
  const forms = new Map<number, OtherForm>()
  const replaced: ReplacedSum[] = []
  for (const members of bookings) {
    const [first] = members
    if (!first) continue
    const { position, bookingPayments } = first
    const sums = found.filter((each) => each.position === position && !reported.has(each.id))
    const counted = sums.filter(({ payments }) => payments === bookingPayments)
    const decided = counted.find(({ isDecided }) => isDecided)
    const unclear = sums.find(({ payments, isNamed }) => payments === null && !isNamed)
    const doubted = decided ?? (counted.length === 0 ? unclear : undefined)
    if (doubted) for (const member of members) forms.set(member.position, { id: doubted.id, isCertain: false })
    else {
      const most = Math.ceil(members.length / (bookingPayments ?? 1))
      replaced.push(...counted.slice(0, most).map(({ requisiteId, id }) => ({ requisiteId, id, part: position })))
    }
  }
  return { forms, replaced }
}

/** The first part of each booking whose sum a row is; a booking has one sum. */
const findParts = async (
  sql: Queryable,
  statementId: string,
  sums: readonly DatedRow[],
): Promise<ReadonlyMap<number, OtherForm>> => {
  const found = await sql.query(listBatches, { statementId, rows: sums })
  const taken = new Set(found.flatMap(({ summed }) => summed))
  return new Map(
    sums.flatMap(({ position, bookingPayments }) => {
      const own = found.filter((each) => each.position === position)
      const counted = own.find(({ payments }) => payments === bookingPayments)
      const { parts = [], payments = 1 } = counted ?? (bookingPayments === null ? own[0] : undefined) ?? {}
      const id = parts.find((part, index) => index % payments === 0 && !taken.has(part))
      if (id === undefined) return []
      taken.add(id)
      return [[position, { id, isCertain: counted !== undefined }] as const]
    }),
  )
}

/**
 * Finds rows whose money other reports have as the sum of several payments, or as those payments, without a reference
 * that both have: the same account, day and total (docs/domain.md §6.3). With the same number of payments, parts replace
 * a sum about which nothing was decided, and a sum after its parts is certainly the same money. Everything else waits.
 */
export const findOtherForms = async (
  sql: Queryable,
  statementId: string,
  rows: readonly FormedRow[],
): Promise<OtherForms> => {
  const some = rows.filter((row) => isPart(row) || mayBeSum(row))
  if (some.length === 0) return { forms: new Map(), replaced: [] }
  const offsets = await requisiteOffsets(sql, [...new Set(some.map(({ requisiteId }) => requisiteId))])
  const dated = some.map((row): DatedRow => {
    const offset = offsets.get(row.requisiteId) ?? 0
    const since = Math.floor((row.bookedAt + offset) / day) * day - offset
    return { ...row, since, until: since + day - 1 }
  })
  const [parts, sums] = [dated.filter(isPart), dated.filter(mayBeSum)]
  const { forms, replaced } = parts.length > 0 ? await findSums(sql, statementId, parts) : { forms: [], replaced: [] }
  const ofSums = sums.length > 0 ? await findParts(sql, statementId, sums) : []
  return { forms: new Map([...forms, ...ofSums]), replaced }
}

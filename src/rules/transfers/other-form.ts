/** The transfer that has another one's money as a sum or as a part; `how`: why that is certain, or not. */
export type OtherForm = {
  readonly id: string
  readonly isCertain: boolean
  readonly how: 'same' | 'decided' | 'contradicts' | 'unclear' | 'overlaps'
}

const words: Readonly<Record<OtherForm['how'], string>> = {
  same: 'has this money as the sum of several payments, or as one of those payments',
  decided: 'has this money as the sum of several payments, and was credited or decided about before they came',
  contradicts: 'is the same booking with another amount or other payments',
  overlaps: 'is a row like this one, and the balances of the two files do not tell whether they overlap',
  unclear: 'may have this money as the sum of several payments, or as one of those payments',
}

/** How a transfer has the money of another one in another form. */
export const describeOtherForm = ({ id, how }: OtherForm): string => `transfer ${id}, which ${words[how]}`

/** A row of a file: a payment with the booking that it is the sum of, or a part of. Amounts are minor units. */
type Row = {
  readonly amount: bigint
  readonly bankReference: string | null
  readonly bookingReference: string | null
  readonly bookingAmount: bigint
  readonly bookingPayments: number | null
}

type Known = {
  readonly amount: bigint
  /** How many payments its bank says that it has. */
  readonly payments: number | null
  readonly hasReference: boolean
  /** Whether it has the reference of the row's booking. */
  readonly isReferred: boolean
}

/** A transfer that may be the sum of the row's booking; see `listSums`. */
type Sum = Known & {
  readonly id: string
} & Readonly<Record<'isNamed' | 'isDecided' | 'isDoubtful' | 'isEntry' | 'isReplaced', boolean>>

/** Transfers that may be the payments of the row's booking; see `listBatches`. */
type Batch = Known & { readonly hasEntry: boolean; readonly parts: readonly string[] }

const isEntry = ({ bankReference, bookingReference }: Row): boolean =>
  bookingReference !== null && bankReference === bookingReference

const doubt = (id: string, how: OtherForm['how']): OtherForm => ({ id, isCertain: false, how })

/** Two different references of a bank are no proof of one booking, whatever else agrees. */
const mayAgree = (row: Row, known: { readonly hasReference: boolean; readonly payments: number | null }): boolean =>
  known.payments === row.bookingPayments && !(known.hasReference && row.bookingReference !== null)

/** Which sums a booking in parts replaces; or, if that is not certain, the transfer that it may be. */
export const judgeParts = <Of extends Sum>(
  row: Row,
  sums: readonly Of[],
  batches: readonly Batch[],
  gone: ReadonlySet<string>,
): OtherForm | readonly Of[] => {
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
export const judgeSum = (
  row: Row,
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

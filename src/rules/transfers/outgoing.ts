import { type ComparableReport, mayBeSameMoney } from './duplicate.ts'
import { account, type Posting, posting, type PostingKind } from '../money/ledger.ts'
import { day, type Instant } from '../time.ts'

export const outgoingStates = ['unexplained', 'booked', 'duplicate', 'withdrawn'] as const
export type OutgoingState = (typeof outgoingStates)[number]

/** Purposes to which an operator books an outgoing transfer without further evidence. */
export const operatorPurposes = ['fee', 'settlement', 'own-account', 'other'] as const
export type OperatorPurpose = (typeof operatorPurposes)[number]

/** The account that outgoing money in a currency is booked to, by its purpose. */
export const purposeAccount: Readonly<Record<OperatorPurpose, (currency: string) => string>> = {
  fee: () => account.bankFees,
  // What merchants are paid in another currency was bought with it.
  settlement: account.exchange,
  // The money arrived on another of our accounts, where it was set aside.
  'own-account': () => account.ignored,
  other: () => account.expenses,
}

/** Returned to the payer, such a refund that the bank gave back, a reversal; or one of `operatorPurposes`. */
export const outgoingPurposes = ['refund', 'refund-reversal', 'reversal', ...operatorPurposes] as const
export type OutgoingPurpose = (typeof outgoingPurposes)[number]

/** Money that left the account of a requisite or, given back by the bank, returned to it. */
export type OutgoingMoney = {
  readonly requisiteId: string
  readonly id: string
  readonly currency: string
  readonly amount: bigint
  readonly givenBack: boolean
}

/** Money that is given back moves in the opposite direction. */
const post = (kind: PostingKind, [debit, credit]: readonly [string, string], outgoing: OutgoingMoney): Posting => {
  const { id: documentId, requisiteId, givenBack } = outgoing
  return posting(kind, givenBack ? [credit, debit] : [debit, credit], outgoing, { documentId, requisiteId })
}

/** Money leaves the bank, unexplained. */
export const postSent = (outgoing: OutgoingMoney): Posting =>
  post('send', [account.unexplained, account.bank(outgoing.requisiteId)], outgoing)

/** The report of outgoing money is withdrawn. */
export const postUnsent = (outgoing: OutgoingMoney): Posting =>
  postSent({ ...outgoing, givenBack: !outgoing.givenBack })

/** Outgoing money is booked to an account. */
export const postBooked = (outgoing: OutgoingMoney, to: string): Posting =>
  post('book', [to, account.unexplained], outgoing)

/** Outgoing money is no longer booked to an account. */
export const postUnbooked = (outgoing: OutgoingMoney, from: string): Posting => ({
  ...postBooked({ ...outgoing, givenBack: !outgoing.givenBack }, from),
  kind: 'unbook',
})

/** How long before or after its bank booking people record its purpose: the bank carries out a refund later. */
export const noticeMs = 7 * day

type Dated = { readonly bookedAt: Instant }

/** Pairs rows one to one with others that fit them, each with the nearest remaining one in time. */
export const pairNearest = <Row extends Dated, Other extends Dated>(
  rows: readonly Row[],
  others: readonly Other[],
  fits: (row: Row, other: Other) => boolean,
): Map<Row, Other> => {
  const pairs = new Map<Row, Other>()
  const taken = new Set<Other>()
  for (const row of rows) {
    let nearest: Other | undefined
    const distance = (other: Other): number => Math.abs(other.bookedAt - row.bookedAt)
    for (const other of others)
      if (!taken.has(other) && fits(row, other) && (!nearest || distance(other) < distance(nearest))) nearest = other
    if (!nearest) continue
    taken.add(nearest)
    pairs.set(row, nearest)
  }
  return pairs
}

/** Pairs rows with others if each fits only the other; rows that fit several are left out. */
export const pairOnly = <Row, Other>(
  rows: readonly Row[],
  others: readonly Other[],
  fits: (row: Row, other: Other) => boolean,
): Map<Row, Other> =>
  new Map(
    rows.flatMap((row): [Row, Other][] => {
      const [other, ...further] = others.filter((each) => fits(row, each))
      const isOnly = other !== undefined && further.length === 0
      return isOnly && rows.filter((each) => fits(each, other)).length === 1 ? [[row, other]] : []
    }),
  )

type ComparableOutgoing = ComparableReport & { readonly givenBack: boolean }

/** Whether two channels may report one outgoing transfer. */
const mayBeSameOutgoing = (one: ComparableOutgoing, other: ComparableOutgoing): boolean =>
  one.givenBack === other.givenBack && mayBeSameMoney(one, other)

export type ChannelOutgoing = ComparableOutgoing & { readonly channel: string }

/**
 * Pairs reports one to one with outgoing transfers that their channel, which is `missing`, did not report: on the same
 * day of the account, whose offset from UTC is in milliseconds. A daily fee is not the fee of the day before.
 */
export const pairElsewhere = <Report extends ChannelOutgoing, Known extends ComparableOutgoing>(
  reports: readonly Report[],
  known: readonly (Known & { readonly missing: string })[],
  offsets: ReadonlyMap<string, number>,
): Map<Report, Known> => {
  const dayOf = ({ requisiteId, bookedAt }: ComparableOutgoing): number =>
    Math.floor((bookedAt + (offsets.get(requisiteId) ?? 0)) / day)
  const others = Map.groupBy(known, (each) => `${each.requisiteId} ${each.missing} ${each.amount}`)
  const groups = Map.groupBy(reports, (each) => `${each.requisiteId} ${each.channel} ${each.amount}`)
  return new Map(
    [...groups].flatMap(([group, own]) => [
      ...pairNearest<Report, Known>(
        own,
        others.get(group) ?? [],
        (one, other) => dayOf(one) === dayOf(other) && mayBeSameOutgoing(one, other),
      ),
    ]),
  )
}

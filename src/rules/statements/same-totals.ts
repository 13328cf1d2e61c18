// One file may have a sum where another one has its parts, and nothing in the files says so: only the amounts do.

/** Money of one day and direction. */
export type Money<Id> = {
  readonly id: Id
  readonly amount: bigint
  /** Whether it names who is on the other side; a sum of several payments does not. */
  readonly isNamed: boolean
  /** Whether its file says of what booking it is a part, or of how many payments the sum. */
  readonly isStated?: boolean
}

/** Among more amounts, some add up to almost anything. */
const mostParts = 16

const sumOf = (money: readonly Money<unknown>[]): bigint => money.reduce((sum, { amount }) => sum + amount, 0n)

/** Two or more of the amounts that add up to a sum, the first found; `undefined` if none do. */
const findParts = <Id>(sum: bigint, money: readonly Money<Id>[]): readonly Money<Id>[] | undefined => {
  if (money.length > mostParts) return undefined
  const reached = new Map<bigint, readonly Money<Id>[]>([[0n, []]])
  for (const each of money)
    for (const [before, parts] of [...reached]) {
      const next = before + each.amount
      if (next > sum || reached.has(next)) continue
      reached.set(next, [...parts, each])
      if (next === sum && parts.length > 0) return reached.get(next)
      if (next === sum) reached.delete(next)
    }
  return undefined
}

/**
 * Which money of one file may be money of others in another form, each with one of those: both have the same total, but
 * not in the same number of bookings; or one booking that names nobody is the sum of several on the other side.
 */
export const findSameTotals = <Own, Other>(
  own: readonly Money<Own>[],
  others: readonly Money<Other>[],
): ReadonlyMap<Own, Other> => {
  const [first] = others
  if (!first) return new Map()
  if (own.length !== others.length && sumOf(own) === sumOf(others)) return new Map(own.map(({ id }) => [id, first.id]))
  const loose = own.filter(({ isStated }) => isStated !== true)
  const parts = others.flatMap((sum) => {
    const found = sum.isNamed ? undefined : findParts(sum.amount, loose)
    return found ? found.map(({ id }) => [id, sum.id] as const) : []
  })
  const sums = own.flatMap((sum) => {
    const [found] = (sum.isNamed || sum.isStated === true ? undefined : findParts(sum.amount, others)) ?? []
    return found ? [[sum.id, found.id] as const] : []
  })
  return new Map([...parts, ...sums])
}

/**
 * Payments of a merchant whose time is over, and how many of them were paid: those whose rate had moved in the payer's
 * favour by then, and the others.
 */
export type PaidShares = {
  readonly favoured: number
  readonly favouredPaid: number
  readonly others: number
  readonly othersPaid: number
}

/** A share of fewer payments says nothing. */
const fewest = 30

/** A difference of shares this many standard errors large is not chance. */
const leastErrors = 3

/** The shares in percent that were paid, `undefined` where there were no payments. */
export const percentsPaid = ({ favoured, favouredPaid, others, othersPaid }: PaidShares) => ({
  favoured: favoured === 0 ? undefined : Math.round((100 * favouredPaid) / favoured),
  others: others === 0 ? undefined : Math.round((100 * othersPaid) / others),
})

/**
 * Whether payments are paid by the rate: a larger share of the favoured ones, by at least `points` percentage points
 * and by more than chance explains.
 */
export const isPaidByRate = ({ favoured, favouredPaid, others, othersPaid }: PaidShares, points: number): boolean => {
  if (favoured < fewest || others < fewest) return false
  const difference = favouredPaid / favoured - othersPaid / others
  const all = (favouredPaid + othersPaid) / (favoured + others)
  const error = Math.sqrt(all * (1 - all) * (1 / favoured + 1 / others))
  return difference * 100 >= points && difference > leastErrors * error
}

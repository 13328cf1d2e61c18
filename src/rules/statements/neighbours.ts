import { day, type Instant } from '../time.ts'

/** What an account held, and what moved on it, in the time of a statement; amounts are minor units. */
type Balances = Readonly<Record<'opening' | 'closing' | 'credits' | 'debits', bigint>> & {
  readonly statementId: string
  readonly since: Instant
  readonly until: Instant
}

/** A statement of that time that was there before; `isOnOtherWord`: it rests on another person's word. */
type Other = Balances & { readonly isImported: boolean; readonly isOnOtherWord: boolean }

/** The statements that lead, one after another, from or to the balances of one account. */
const chainOf = (own: Balances, others: readonly Balances[]): ReadonlySet<Balances> => {
  const found = new Set<Balances>()
  const walk = (from: 'opening' | 'closing', to: 'opening' | 'closing'): void => {
    const balances = [own[from]]
    for (let balance = balances.pop(); balance !== undefined; balance = balances.pop())
      for (const each of others)
        if (!found.has(each) && each[to] === balance) {
          found.add(each)
          balances.push(each[from])
        }
  }
  walk('opening', 'closing')
  walk('closing', 'opening')
  return found
}

const isSame = (one: Balances, other: Balances): boolean =>
  (['opening', 'closing', 'credits', 'debits'] as const).every((each) => one[each] === other[each])

/** Money in and out that is in two statements may leave both balances as they are; money of one direction cannot. */
const isOfOneDirection = (...statements: readonly Balances[]): boolean =>
  statements.every(({ debits }) => debits === 0n) || statements.every(({ credits }) => credits === 0n)

const low = ({ opening, closing }: Balances): bigint => (opening < closing ? opening : closing)
const high = ({ opening, closing }: Balances): bigint => (opening < closing ? closing : opening)

/** Whether the balances of two statements never meet, so that no money of one direction is in both. */
const isApart = (one: Balances, other: Balances): boolean => high(one) <= low(other) || high(other) <= low(one)

/** How much money of one direction is in both of two statements, as far as balances tell. */
export const overlapOf = (one: Balances, other: Balances): bigint => {
  const [from, to] = [low(one) > low(other) ? low(one) : low(other), high(one) < high(other) ? high(one) : high(other)]
  return to > from ? to - from : 0n
}

/** Whether two statements of one direction have money in common, and each has other money, too. */
export const mayBePartial = (one: Balances, other: Balances): boolean => {
  const overlap = overlapOf(one, other)
  const isWhole = [one, other].some((each) => high(each) - low(each) === overlap)
  return isOfOneDirection(one, other) && overlap > 0n && !isWhole
}

/** Whether two statements are of one day, and nothing tells whether they overlap. */
const isOfOneDay = (one: Balances, other: Balances): boolean =>
  Math.max(one.until, other.until) - Math.min(one.since, other.since) < day &&
  one.opening !== other.opening &&
  one.closing !== other.closing

/** Which statements may be neighbours of one account's, whether that is certain, and whether it does not matter. */
export const neighboursOf = (own: Balances, others: readonly Other[]) => {
  // The rows of a statement that comes again are known; those of one that is not imported yet are not.
  const isKnown = others.some((each) => each.isImported && isSame(own, each))
  const chain = chainOf(own, others)
  return others.flatMap((each) => {
    const isOneWay = isOfOneDirection(own, each)
    const isOther = isOneWay && isApart(own, each)
    const isPossible = chain.has(each) || (!isOneWay && isOfOneDay(own, each))
    const { statementId: id, isOnOtherWord } = each
    return isOther || isPossible ? [{ id, isOnOtherWord, isCertain: isOther && !isOnOtherWord, isKnown }] : []
  })
}

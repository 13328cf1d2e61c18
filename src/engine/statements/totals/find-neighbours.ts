import type { Queryable } from 'payin-database'
import type { StatementAccount } from '../../../rules/statements/statement-import.ts'
import { day } from '../../../rules/time.ts'
import { addsUp } from './find-proven.ts'
import { listBalancesOfStatements, listSumsOfSharedDays } from './store.ts'

type Others = ReturnType<typeof listBalancesOfStatements.decode>
type Balances = Omit<Others, 'requisiteId' | 'isImported' | 'isOnOtherWord'>

/** Statements of a file's days that do not overlap with it, as far as balances tell. */
export type Neighbours = {
  readonly all: readonly string[]
  /** Those whose rows are certainly other money: an overlap would change the balances. */
  readonly certain: readonly string[]
  /** The others, and those that rest on another person's word, who may have made their balances up. */
  readonly possible: readonly string[]
  /** All that rest on nobody else's word, and those that would be possible if the same statement was not there before. */
  readonly near: readonly string[]
  /** No neighbours: they have some of its money, but not all that either has of their common days. */
  readonly partial: readonly string[]
}

export const noNeighbours: Neighbours = { all: [], certain: [], possible: [], near: [], partial: [] }

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
const overlapOf = (one: Balances, other: Balances): bigint => {
  const [from, to] = [low(one) > low(other) ? low(one) : low(other), high(one) < high(other) ? high(one) : high(other)]
  return to > from ? to - from : 0n
}

/** Whether two statements of one direction have money in common, and each has other money, too. */
const mayBePartial = (one: Balances, other: Balances): boolean => {
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
const neighboursOf = (own: Balances, others: readonly Others[]) => {
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

/**
 * Finds statements before and after another one within its days: each begins with the balance that ends the one before,
 * so equal rows of them may be, and often are, other money. A bank that cuts a day may also begin a statement in the
 * middle of another one.
 */
export const findNeighbours = async (
  sql: Queryable,
  statementId: string,
  accounts: readonly StatementAccount[],
): Promise<Neighbours> => {
  const complete = accounts.flatMap((each) => {
    const { requisiteId, listed, opening, closing, credits, debits } = each
    if (!listed || !addsUp(each)) return []
    const balances = { opening: BigInt(opening ?? 0), closing: BigInt(closing ?? 0) }
    const moved = { credits: BigInt(credits), debits: BigInt(debits) }
    return [{ requisiteId, statementId, since: listed.from, until: listed.to, ...balances, ...moved }]
  })
  if (complete.length === 0) return noNeighbours
  const others = Map.groupBy(
    await sql.query(listBalancesOfStatements, { statementId, rows: complete }),
    (each) => each.requisiteId,
  )
  const found = complete.flatMap((own) => neighboursOf(own, others.get(own.requisiteId) ?? []))
  const shared = complete.flatMap((own) =>
    (others.get(own.requisiteId) ?? [])
      .filter((each) => mayBePartial(own, each))
      .map((each) => ({
        ...{ ...own, otherId: each.statementId, overlap: overlapOf(own, each) },
        ...{ since: Math.max(own.since, each.since), until: Math.min(own.until, each.until) },
      })),
  )
  const partial = shared.length === 0 ? [] : await sql.query(listSumsOfSharedDays, { rows: shared })
  const idsOf = (those: typeof found) => those.map(({ id }) => id)
  return {
    all: idsOf(found.filter(({ isCertain, isKnown }) => isCertain || !isKnown)),
    certain: idsOf(found.filter(({ isCertain }) => isCertain)),
    possible: idsOf(found.filter(({ isCertain, isKnown }) => !isCertain && !isKnown)),
    near: idsOf(found.filter(({ isOnOtherWord }) => !isOnOtherWord)),
    partial: partial
      .filter(({ overlap, own, others: sum }) => own > overlap || sum > overlap)
      .map(({ otherId }) => otherId),
  }
}

import type { Queryable } from 'payin-database'
import { mayBePartial, neighboursOf, overlapOf } from '../../../rules/statements/neighbours.ts'
import { addsUp, type StatementAccount } from '../../../rules/statements/statement-import.ts'
import { listBalancesOfStatements, listSumsOfSharedDays } from './store.ts'

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

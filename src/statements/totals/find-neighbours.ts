import type { Queryable } from '../../database/database.ts'
import type { StatementAccount } from '../../domain/statement-import.ts'
import { addsUp } from './find-proven.ts'
import { listBalancesOfStatements } from './store.ts'

type Balances = {
  readonly statementId: string
  readonly opening: bigint
  readonly closing: bigint
  readonly credits: bigint
  readonly debits: bigint
}

/** Statements of a file's days that do not overlap with it, as far as balances tell. */
export type Neighbours = {
  readonly all: readonly string[]
  /** Those whose rows are certainly other money: an overlap would change the balances. */
  readonly certain: readonly string[]
}

/** The statements that lead, one after another, from or to the balances of one account. */
const chainOf = (own: Balances, others: readonly Balances[]): readonly Balances[] => {
  // The same statement again.
  if (others.some(({ opening, closing }) => opening === own.opening && closing === own.closing)) return []
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
  return [...found]
}

const balancesOf = (statementId: string, { opening, closing, credits, debits }: StatementAccount): Balances => ({
  ...{ statementId, opening: BigInt(opening ?? 0), closing: BigInt(closing ?? 0) },
  ...{ credits: BigInt(credits), debits: BigInt(debits) },
})

/** Money in and out that is in two statements may leave both balances as they are; money of one direction cannot. */
const isOfOneDirection = (statements: readonly Balances[]): boolean =>
  statements.every(({ debits }) => debits === 0n) || statements.every(({ credits }) => credits === 0n)

/**
 * Finds statements that come before and after another one within its days: each begins with the balance with which the
 * one before it ends, so equal rows of them may be, and often are, other money.
 */
export const findNeighbours = async (
  sql: Queryable,
  statementId: string,
  accounts: readonly StatementAccount[],
): Promise<Neighbours> => {
  const complete = accounts.filter((each) => each.opening !== each.closing && addsUp(each))
  const rows = complete.flatMap(({ requisiteId, listed }) =>
    listed ? [{ requisiteId, since: listed.from, until: listed.to }] : [],
  )
  if (rows.length === 0) return { all: [], certain: [] }
  const others = Map.groupBy(
    await sql.query(listBalancesOfStatements, { statementId, rows }),
    (each) => each.requisiteId,
  )
  const chains = complete.map((account) => {
    const own = balancesOf(statementId, account)
    const chain = chainOf(own, others.get(account.requisiteId) ?? [])
    return { ids: chain.map((each) => each.statementId), isCertain: isOfOneDirection([own, ...chain]) }
  })
  return {
    all: chains.flatMap(({ ids }) => ids),
    certain: chains.filter(({ isCertain }) => isCertain).flatMap(({ ids }) => ids),
  }
}

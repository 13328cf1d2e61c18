import type { Queryable } from '../../database/database.ts'
import type { StatementAccount } from '../../domain/statement-import.ts'
import { addsUp } from './find-proven.ts'
import { listBalancesOfStatements } from './store.ts'

type Balances = { readonly statementId: string; readonly opening: bigint; readonly closing: bigint }

/** The statements that lead, one after another, from or to the balances of one account. */
const chainOf = (own: Omit<Balances, 'statementId'>, others: readonly Balances[]): string[] => {
  // The same statement again, or a day that returns to its beginning: then nothing is proven.
  if (others.some(({ opening, closing }) => opening === own.opening && closing === own.closing)) return []
  const found = new Set<Balances>()
  const walk = (from: 'opening' | 'closing', to: 'opening' | 'closing'): void => {
    for (let balance = own[from]; ; ) {
      const next = others.find((each) => !found.has(each) && each[to] === balance)
      if (!next) return
      found.add(next)
      balance = next[from]
    }
  }
  walk('opening', 'closing')
  walk('closing', 'opening')
  return [...found].map(({ statementId }) => statementId)
}

/**
 * Finds statements that come before and after another one within its days: each begins with the balance with which the
 * one before it ends, so their rows are other money, even if they are equal.
 */
export const findNeighbours = async (
  sql: Queryable,
  statementId: string,
  accounts: readonly StatementAccount[],
): Promise<readonly string[]> => {
  const asked = accounts.flatMap(({ requisiteId, listed }) =>
    listed ? [{ requisiteId, since: listed.from, until: listed.to }] : [],
  )
  const complete = accounts.filter(
    ({ opening, closing, listed, ...each }) =>
      listed !== undefined && opening !== closing && addsUp({ ...each, opening, closing }),
  )
  if (complete.length === 0) return []
  const found = await sql.query(listBalancesOfStatements, { statementId, rows: asked })
  const others = Map.groupBy(found, (each) => each.requisiteId)
  return complete.flatMap(({ requisiteId, opening, closing }) =>
    chainOf({ opening: BigInt(opening ?? 0), closing: BigInt(closing ?? 0) }, others.get(requisiteId) ?? []),
  )
}

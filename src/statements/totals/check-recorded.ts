import type { Tx } from '../../context.ts'
import { currencyDecimals, formatDecimal } from '../../domain/currency.ts'
import type { Statement, StatementAccount } from '../../domain/statement-import.ts'
import type { Instant } from '../../domain/time.ts'
import { continuesBalance } from '../../ledger/closing-balances/record-closing-balance.ts'
import { holdCrediting } from '../../requisites/update-requisite.ts'
import { addsUp } from './find-proven.ts'
import { findNeighbours } from './find-neighbours.ts'
import { changeAccounts, sumOfOthers } from './store.ts'

/**
 * Whether a file certainly has all money of its days: it continues the balance of the statement before, and its rows are
 * all that is between its balances.
 */
const isComplete = async (tx: Tx, statementId: string, account: StatementAccount, before: Instant): Promise<boolean> =>
  addsUp(account) &&
  (await continuesBalance(tx, { statementId, requisiteId: account.requisiteId, before }, BigInt(account.opening ?? 0)))

const describe = (more: bigint, { currency }: StatementAccount, fileName: string): string =>
  `the books have ${formatDecimal(more, currencyDecimals(currency))} ${currency} more than the file "${fileName}" for its days; compare its rows with those of the other files of these days, withdraw what is wrong, and then resume crediting`

/**
 * Compares what the books have received on the days of an imported statement with its rows: if other files brought more
 * for them, one of the two files is wrong. Possible duplicates that wait do not count. An account with a difference is
 * credited by persons only until one has looked (docs/domain.md §6.8).
 */
export const checkRecorded = async (tx: Tx, statement: Statement): Promise<void> => {
  const { certain: neighbours } = await findNeighbours(tx, statement.id, statement.accounts)
  const differing: { readonly account: StatementAccount; readonly difference: bigint }[] = []
  for (const account of statement.accounts) {
    const { requisiteId, listed } = account
    if (!listed || !(await isComplete(tx, statement.id, account, listed.from))) continue
    const span = { since: listed.from, until: listed.to }
    const [others] = await tx.query(sumOfOthers, { statementId: statement.id, neighbours, requisiteId, ...span })
    if (others && others.amount !== 0n) differing.push({ account, difference: others.amount })
  }
  if (differing.length === 0) return
  const differences = new Map(differing.map(({ account, difference }) => [account, difference.toString()]))
  const accounts = statement.accounts.map((each) => {
    const difference = differences.get(each)
    return difference === undefined ? each : { ...each, difference }
  })
  await tx.query(changeAccounts, { id: statement.id, accounts })
  for (const { account, difference } of differing) {
    await holdCrediting(tx, account.requisiteId, describe(difference, account, statement.fileName), statement.id)
  }
}

import type { Tx } from '../../context.ts'
import { currencyDecimals, formatDecimal } from '../../../rules/values/currency.ts'
import { addsUp, type StatementAccount } from '../../../rules/statements/statement-import.ts'
import type { Instant } from '../../../rules/time.ts'
import { continuesBalance } from '../../ledger/reconciliation/record-closing-balance.ts'
import { holdCrediting } from '../../requisites/update-requisite.ts'
import type { Statement } from '../read.ts'
import { findNeighbours } from './find-neighbours.ts'
import { changeAccounts, hasOtherBalance, listUnlisted } from './store.ts'

type Span = { readonly since: Instant; readonly until: Instant }

/**
 * Whether a file certainly has all money of its days: it continues the balance of the statement before, its rows are
 * all that is between its balances, and no longer file that begins like it has another balance at its end.
 */
const isComplete = async (tx: Tx, statementId: string, account: StatementAccount, span: Span): Promise<boolean> => {
  if (!addsUp(account)) return false
  const { requisiteId } = account
  const [opening, closing] = [BigInt(account.opening ?? 0), BigInt(account.closing ?? 0)]
  if (!(await continuesBalance(tx, { statementId, requisiteId, before: span.since }, opening))) return false
  const [found] = await tx.query(hasOtherBalance, { statementId, requisiteId, opening, closing, ...span })
  return found?.other !== true
}

const describe = (more: bigint, { currency }: StatementAccount, fileName: string): string =>
  `the books have ${formatDecimal(more, currencyDecimals(currency))} ${currency} more than the file "${fileName}" for its days; compare its rows with those of the other files of these days, withdraw what is wrong, and then resume crediting`

/**
 * Compares what the books have received and sent on the days of an imported statement with its rows: if other files
 * brought more that would change their balances, one of the two is wrong, and persons alone credit the account until
 * one has looked (docs/domain.md §6.8). Possible duplicates that wait do not count.
 */
export const checkRecorded = async (tx: Tx, statement: Statement): Promise<void> => {
  const { near: neighbours } = await findNeighbours(tx, statement.id, statement.accounts)
  const differing: { readonly account: StatementAccount; readonly difference: bigint }[] = []
  for (const account of statement.accounts) {
    const { requisiteId, listed } = account
    if (!listed) continue
    const span = { since: listed.from, until: listed.to }
    if (!(await isComplete(tx, statement.id, account, span))) continue
    const others = await tx.query(listUnlisted, {
      ...{ statementId: statement.id, neighbours },
      rows: [{ requisiteId, ...span }],
    })
    // A bank may have cut a file from a day whose other money, in and out, leaves both balances as they are.
    const change = others.reduce((sum, { kind, amount }) => (kind === 'booked' ? sum + amount : sum - amount), 0n)
    if (change === 0n) continue
    differing.push({ account, difference: others.reduce((sum, { amount }) => sum + amount, 0n) })
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

import type { Tx } from '../context.ts'
import { currencyDecimals, formatDecimal } from '../domain/currency.ts'
import type { Statement, StatementAccount } from '../domain/statement-import.ts'
import { holdCrediting } from '../requisites/update-requisite.ts'
import { sumRecorded } from './duplicates/store.ts'
import { changeAccounts } from './store.ts'

/** Whether a file certainly has all money of its days: its rows are all that is between its balances. */
const isComplete = ({ opening, closing, credits, debits }: StatementAccount): boolean =>
  opening !== null && closing !== null && BigInt(closing) - BigInt(opening) === BigInt(credits) - BigInt(debits)

const describe = (difference: bigint, { currency }: StatementAccount, fileName: string): string => {
  const [amount, words] = difference > 0n ? [difference, 'more'] : [-difference, 'less']
  return `the books have ${formatDecimal(amount, currencyDecimals(currency))} ${currency} ${words} than the file "${fileName}" for its days`
}

/**
 * Compares what the books have received on the days of an imported statement with its rows: less means that rows were
 * taken for known money, more that other files brought the same money as well. Possible duplicates that wait do not
 * count. An account with a difference is credited by persons only until one has looked (docs/domain.md §6.8).
 */
export const checkRecorded = async (tx: Tx, statement: Statement): Promise<void> => {
  const differing: { readonly account: StatementAccount; readonly difference: bigint }[] = []
  for (const account of statement.accounts) {
    const { requisiteId, listed } = account
    if (!listed) continue
    const span = { since: listed.from, until: listed.to, isComplete: isComplete(account) }
    const [sums] = await tx.query(sumRecorded, { statementId: statement.id, requisiteId, ...span })
    const difference = sums ? sums.others - sums.lost : 0n
    if (difference !== 0n) differing.push({ account, difference })
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

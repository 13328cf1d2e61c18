import { reconciliation } from '../operations/reconciliation.ts'
import { journal } from '../operations/ledger.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { command, type Commands } from './commands.ts'
import { choice, argument, option, required } from './inputs.ts'
import { merchant, ofMerchant, ofMode } from './named-inputs.ts'
import { exactBalance, time } from './read-arguments.ts'
import { atLine, namingLines, readCsv } from './read-csv.ts'
import { resolveId } from './resolve-name.ts'

/** Commands that check, export, or read files. */
const own: Commands = {
  'trial-balance': commandOf(journal, 'trial-balance'),
  journal: command({
    description: 'Write postings as CSV to standard output, up to two minutes ago: later ones are not final yet.',
    inputs: {
      merchantId: ofMerchant(),
      mode: ofMode,
      from: option('--from <time>', 'from this time on', time),
      to: option('--to <time>', 'before this time', time),
    },
    run: (session, given) => session.stream('GET /ledger/journal.csv', given),
  }),
  statement: command({
    description: "Write the statement of a merchant's account to standard output.",
    inputs: {
      id: merchant,
      from: required('--from <time>', 'from this time on', time),
      to: required('--to <time>', 'before this time, at most 366 days later', time),
      format: choice('--format <format>', 'default: csv', ['csv', 'camt.053']),
    },
    run: (session, given) => session.stream('GET /merchants/{id}/statement', given),
  }),
  'close-many': command({
    description:
      'Record closing balances from a CSV file, all or none. The first line names the columns: requisite, day, balance, currency; optional: source.',
    inputs: { file: argument('<file>', 'CSV of at most 1000 balances; - for standard input') },
    run: async (session, { file }) => {
      const rows = await readCsv(session.surroundings, file, ['requisite', 'day', 'balance', 'currency'], ['source'])
      const closingBalances: object[] = []
      for (const row of rows) {
        const { requisite: named = '', day, balance = '', currency, source } = row.cells
        closingBalances.push(
          await atLine(row, async () => ({
            ...{ requisiteId: await resolveId(session, 'requisite', named), day, currency, source },
            balance: exactBalance(balance),
          })),
        )
      }
      const answer = await session
        .call<{ count: number }>('PUT /ledger/closing-balances', {}, { body: { closingBalances } })
        .catch((error: unknown) => {
          throw namingLines(error, 'closingBalances', rows)
        })
      session.show(answer, ({ count }) => `Recorded ${count} closing balances.`)
    },
  }),
}

/** The books, and what banks say of them. */
export const ledgerCommands = nounCommands(reconciliation, own)

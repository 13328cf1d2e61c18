import type { TrialBalanceAnswer } from '../http/operator-api/ledger.ts'
import type { DayAnswer } from '../http/operator-api/reconciliation.ts'
import { command, type Group, list, request } from './commands.ts'
import { choice, argument, option, page, required } from './inputs.ts'
import { merchant, ofMerchant, ofMode, ofRequisite, requisiteArgument } from './named-inputs.ts'
import { diagnosis } from './oversight.ts'
import { printAccount, printAmount, type Printed, printRows, printSections } from './print-table.ts'
import { exactBalance, time } from './read-arguments.ts'
import { atLine, namingLines, readCsv } from './read-csv.ts'
import { resolveId } from './resolve-name.ts'

const describeTrialBalance = ({ balanced, rows, totals }: TrialBalanceAnswer): Printed =>
  printSections(
    printRows([...rows, ...totals.map((total) => ({ kind: 'total', accounts: undefined, ...total }))], {
      KIND: 'kind',
      'ACCOUNTS>': 'accounts',
      'DEBIT>': 'debit',
      'CREDIT>': 'credit',
      CURRENCY: 'currency',
    }),
    balanced ? 'Debits and credits of each currency are equal.' : 'NOT BALANCED: run payin ledger verify.',
  )

const reconciliation = {
  open: request('PUT /requisites/{requisiteId}/opening-balance', {
    description:
      'Set what a requisite held at the start of the first day whose transfers are here; run it again to set an earlier day.',
    inputs: {
      requisiteId: requisiteArgument,
      day: argument('<day>', 'such as 2026-01-01'),
      balance: required('--balance <amount>', 'exact amount; negative for an overdraft', exactBalance),
      currency: required('--currency <currency>', 'code, such as rub'),
      reason: required('--reason <text>', 'where it comes from'),
    },
    print: ({ proposed }: { proposed?: boolean }, { day }) =>
      proposed === true
        ? `Proposed for the start of ${day}: another operator sets the same balance.`
        : `Set for the start of ${day}.`,
  }),
  close: request('PUT /requisites/{requisiteId}/closing-balances/{day}', {
    description: 'Record what a requisite held at the end of a day, according to the bank.',
    inputs: {
      requisiteId: requisiteArgument,
      day: argument('<day>', 'such as 2026-01-31'),
      balance: required('--balance <amount>', 'exact amount; negative for an overdraft', exactBalance),
      currency: required('--currency <currency>', 'code, such as rub'),
      source: option('--source <text>', 'where it comes from'),
    },
    print: (_, { day }) => `Recorded for ${day}.`,
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
  reconcile: list('GET /ledger/reconciliation', {
    description: 'Compare closing balances of banks with the ledger; exits with 1 if one differs.',
    inputs: { requisiteId: ofRequisite(': only this one'), mode: ofMode, limit: page.limit },
    rows: (answer: { days: DayAnswer[] }) => answer.days,
    failed: ({ days }) => days.some(({ difference }) => difference !== 0),
    empty:
      'No closing balances yet. Statements bring them; by hand: payin ledger close <requisite> <day> --balance <amount> --currency rub',
    columns: {
      DAY: 'day',
      'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
      'BANK>': ({ closing, currency }) => printAmount(closing, currency),
      'LEDGER>': ({ ledger: amount, currency }) => printAmount(amount, currency),
      'DIFFERENCE>': ({ difference, currency }) => printAmount(difference, currency),
      'POSSIBLE DUPLICATES>': ({ possibleDuplicates, currency }) => printAmount(possibleDuplicates, currency),
      'REQUISITE ID#': 'requisiteId',
    },
    notes: ({ days }) =>
      days.some(({ difference }) => difference !== 0)
        ? 'A difference may be what an account held before its first day here (set it with payin ledger open), or rows that were not imported or were counted twice.'
        : undefined,
  }),
}

export const ledgerCommands: Group = {
  description: 'The books: trial balance, journal, comparison with banks.',
  examples: [
    'payin ledger verify',
    'payin ledger journal --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > journal.csv',
    'payin ledger statement "Demo Shop" --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > statement.csv',
    'payin ledger open "Main account" 2026-01-01 --balance 1000 --currency rub --reason "statement 1"',
    'payin ledger close-many balances.csv',
    'payin ledger close "sberbank 4821" 2026-01-31 --balance 125000.50 --currency rub',
  ],
  commands: {
    verify: request('GET /ledger/verify', {
      description: 'Check that the ledger is consistent and agrees with payments and transfers; exits with 1 if not.',
      ...diagnosis,
    }),
    'trial-balance': request('GET /ledger/trial-balance', {
      description: 'Show the sums of all accounts by kind.',
      inputs: { mode: ofMode },
      print: describeTrialBalance,
    }),
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
    ...reconciliation,
  },
}

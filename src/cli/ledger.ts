import type { TrialBalanceAnswer } from '../http/operator-api/ledger.ts'
import type { DayAnswer } from '../http/operator-api/reconciliation.ts'
import { command, type Group, list, request } from './commands.ts'
import { argument, option, page, required } from './inputs.ts'
import { ofMerchant, ofRequisite, requisite } from './named-inputs.ts'
import { diagnosis } from './oversight.ts'
import { printAccount, printAmount, type Printed, printRows, printSections } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'

const describeTrialBalance = ({ balanced, rows }: TrialBalanceAnswer): Printed =>
  printSections(
    printRows(rows, {
      ACCOUNTS: 'kind',
      'NUMBER>': 'accounts',
      'DEBIT>': 'debit',
      'CREDIT>': 'credit',
      CURRENCY: 'currency',
    }),
    balanced ? 'Debits and credits of each currency are equal.' : 'NOT BALANCED: run payin ledger verify.',
  )

const reconciliation = {
  open: request({
    description: 'Set, once, what a requisite held when the first day began whose transfers are here.',
    request: 'PUT /requisites/{requisiteId}/opening-balance',
    inputs: {
      requisiteId: requisite,
      day: argument('<day>', 'such as 2026-01-01'),
      balance: required('--balance <amount>', 'exact amount', exactNumber),
      currency: required('--currency <currency>', 'code, such as rub'),
      reason: required('--reason <text>', 'where it is from'),
    },
    print: (_, { day }) => `Set for the beginning of ${day}.`,
  }),
  close: request({
    description: 'Note what the bank says that a requisite held at the end of a day.',
    request: 'PUT /requisites/{requisiteId}/closing-balances/{day}',
    inputs: {
      requisiteId: requisite,
      day: argument('<day>', 'such as 2026-01-31'),
      balance: required('--balance <amount>', 'exact amount', exactNumber),
      currency: required('--currency <currency>', 'code, such as rub'),
      source: option('--source <text>', 'where it is from'),
    },
    print: (_, { day }) => `Noted for ${day}.`,
  }),
  reconcile: list({
    description: 'Compare closing balances of banks with the ledger; ends with 1 when one differs.',
    request: 'GET /ledger/reconciliation',
    inputs: { requisiteId: ofRequisite(': only this one'), limit: page.limit },
    rows: (answer: { days: DayAnswer[] }) => answer.days,
    failed: ({ days }) => days.some(({ difference }) => difference !== 0),
    empty: 'No closing balances yet.',
    columns: {
      DAY: 'day',
      'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
      'BANK>': ({ closing, currency }) => printAmount(closing, currency),
      'LEDGER>': ({ ledger: amount, currency }) => printAmount(amount, currency),
      'DIFFERENCE>': ({ difference, currency }) => printAmount(difference, currency),
      'POSSIBLE DUPLICATES>': ({ possibleDuplicates, currency }) => printAmount(possibleDuplicates, currency),
      'REQUISITE ID#': 'requisiteId',
    },
  }),
}

/** `payin ledger`. */
export const ledgerCommands: Group = {
  description: 'The books: trial balance, journal, comparison with banks.',
  examples: [
    'payin ledger verify',
    'payin ledger journal --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > journal.csv',
    'payin ledger open "Main account" 2026-01-01 --balance 1000 --currency rub --reason "statement 1"',
    'payin ledger close "sberbank 4821" 2026-01-31 --balance 125000.50 --currency rub',
  ],
  commands: {
    verify: request({
      description: 'Check that the ledger is consistent and agrees with payments and transfers; ends with 1 when not.',
      request: 'GET /ledger/verify',
      ...diagnosis,
    }),
    'trial-balance': request({
      description: 'Show the sums of all accounts by their kind.',
      request: 'GET /ledger/trial-balance',
      print: describeTrialBalance,
    }),
    journal: command({
      description: 'Write postings as CSV to standard output, until two minutes ago: later ones are not final yet.',
      inputs: {
        merchantId: ofMerchant(),
        from: option('--from <time>', 'from this time on', time),
        to: option('--to <time>', 'before this time', time),
      },
      run: (session, given) => session.stream('GET /ledger/journal.csv', given),
    }),
    ...reconciliation,
  },
}

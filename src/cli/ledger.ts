import { merchantModes } from '../rules/merchants/merchant.ts'
import { reconciliation } from '../operations/reconciliation.ts'
import { journal } from '../operations/ledger.ts'
import { declaredCommands, nounCommands } from './noun-commands.ts'
import { command, type Commands } from './commands.ts'
import { reportLanguages } from '../rules/money/report-page.ts'
import { bankStatementFormats } from '../rules/statements/bank-statement.ts'
import { choice, option, outputFile, required } from './inputs.ts'
import { idArgument, merchant, ofMerchant } from './named-inputs.ts'
import { time } from './read-arguments.ts'

const own: Commands = {
  ...declaredCommands(journal),
  journal: command({
    description: 'Write postings as CSV to standard output, up to two minutes ago: later ones are not final yet.',
    inputs: {
      merchantId: ofMerchant(),
      mode: choice('--mode <mode>', 'default: live', merchantModes),
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
  report: command({
    description: 'Write the report of a day or a month of a merchant to standard output.',
    inputs: {
      id: merchant,
      period: required('--period <period>', 'a day or a month in UTC, such as 2026-01-31 or 2026-01'),
      format: choice('--format <format>', 'default: html', ['html', 'csv']),
      language: choice('--language <language>', 'of the page (default: en)', reportLanguages),
      balance: option('--balance <currency>', 'default: the quote currency of the merchant'),
    },
    run: (session, given) => session.stream('GET /merchants/{id}/report', given),
  }),
  'bank-statement': command({
    description:
      'Save what the bank of a requisite has booked, with whole names and numbers, for accounting programs. The audit records it.',
    inputs: {
      id: idArgument('requisite'),
      from: required('--from <day>', 'the first day, such as 2026-01-01, where the account is'),
      to: required('--to <day>', 'the last day, at most 366 days later'),
      format: choice('--format <format>', 'default: 1c', bankStatementFormats),
      reason: required('--reason <text>', 'why, for the audit; long numbers in it are masked there'),
      output: outputFile,
    },
    run: (session, { format = '1c', ...given }) =>
      session.save('GET /requisites/{id}/bank-statement', { format, ...given }),
  }),
}

export const ledgerCommands = nounCommands(reconciliation, own)

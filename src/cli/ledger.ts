import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { diagnose } from './oversight.ts'
import { printAmount, printTable } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'
import { openSession } from './session.ts'

type TrialBalance = {
  readonly balanced: boolean
  readonly rows: readonly {
    readonly kind: string
    readonly currency: string
    readonly accounts: number
    readonly debit: string
    readonly credit: string
  }[]
}

type Days = {
  readonly days: readonly {
    readonly requisiteId: string
    readonly day: string
    readonly currency: string
    readonly closing: number
    readonly ledger: number
    readonly difference: number
    readonly possibleRepeats: number
  }[]
}

const tellTrialBalance = ({ balanced, rows }: TrialBalance): string =>
  [
    printTable(
      ['ACCOUNTS', 'NUMBER>', 'DEBIT>', 'CREDIT>', 'CURRENCY'],
      rows.map((row) => [row.kind, row.accounts, row.debit, row.credit, row.currency]),
    ),
    balanced ? 'Debits and credits of each currency are equal.' : 'NOT BALANCED: run payin ledger verify.',
  ].join('\n\n')

const tellDays = ({ days }: Days): string =>
  days.length === 0
    ? 'No closing balances yet.'
    : printTable(
        ['DAY', 'BANK>', 'LEDGER>', 'DIFFERENCE>', 'MAYBE TWICE>', 'REQUISITE'],
        days.map(({ day, currency, closing, ledger, difference, possibleRepeats, requisiteId }) => [
          day,
          ...[closing, ledger, difference, possibleRepeats].map((amount) => printAmount(amount, currency)),
          requisiteId,
        ]),
      )

const addReconciliation = (ledger: Command): void => {
  ledger
    .command('close <requisite> <day>')
    .description('Note what the bank says that a requisite held at the end of a day, such as 2026-01-31.')
    .requiredOption('--balance <amount>', 'exact amount', exactNumber)
    .requiredOption('--currency <currency>', 'code, such as rub')
    .option('--source <text>', 'where it is from')
    .action(async (requisite: string, day: string, options: object, command: Command) => {
      const session = openSession(command)
      const path = `/requisites/${encodeURIComponent(requisite)}/closing-balances/${encodeURIComponent(day)}`
      session.show(await session.send('PUT', path, options), () => `Noted for ${day}.`)
    })
  ledger
    .command('reconcile')
    .description('Compare closing balances of banks with the ledger; ends with 1 when one differs.')
    .option('--requisite <id>', 'only this requisite')
    .option('--limit <rows>', 'at most this many, 1 to 500', '50')
    .action(async ({ requisite, limit }: { requisite?: string; limit: string }, command: Command) => {
      const session = openSession(command)
      const answer = await session.get<Days>('/ledger/reconciliation', { requisiteId: requisite, limit })
      session.show(answer, tellDays)
      if (answer.body.days.some((each) => each.difference !== 0)) process.exitCode = 1
    })
}

/** Adds `payin ledger`. */
export const addLedgerCommands = (program: Command): void => {
  const ledger = program.command('ledger').description('The books: trial balance, journal, comparison with banks.')
  addExamples(ledger, [
    'payin ledger verify',
    'payin ledger journal --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > journal.csv',
    'payin ledger close 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 2026-01-31 --balance 125000.50 --currency rub',
  ])
  ledger
    .command('verify')
    .description('Check that the ledger is whole and fits what it tells of; ends with 1 when it does not.')
    .action((_options: object, command: Command) => diagnose(command, '/ledger/verify'))
  ledger
    .command('trial-balance')
    .description('Show the sums of all accounts by their kind.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<TrialBalance>('/ledger/trial-balance'), tellTrialBalance)
    })
  ledger
    .command('journal')
    .description('Write postings as CSV to standard output, until two minutes ago: later ones are not final yet.')
    .option('--merchant <merchant>', merchantArgument)
    .option('--from <time>', 'from this time on', time)
    .option('--to <time>', 'before this time', time)
    .action(async (options: { merchant?: string; from?: string; to?: string }, command: Command) => {
      const session = openSession(command)
      const { merchant, ...query } = options
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      await session.stream('/ledger/journal.csv', { ...query, merchantId })
    })
  addReconciliation(ledger)
}

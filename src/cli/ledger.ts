import type { Command } from 'commander'
import type { TrialBalanceAnswer } from '../http/operator-api/journal.ts'
import type { DayAnswer } from '../http/operator-api/reconciliation.ts'
import { addExamples } from './describe-command.ts'
import { findOptionalMerchantId, merchantArgument } from './find-merchant-id.ts'
import { diagnose } from './oversight.ts'
import { printAmount, printRows } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'
import { inSession, path } from './session.ts'

const describeTrialBalance = ({ balanced, rows }: TrialBalanceAnswer): string =>
  [
    printRows(rows, {
      ACCOUNTS: ({ kind }) => kind,
      'NUMBER>': ({ accounts }) => accounts,
      'DEBIT>': ({ debit }) => debit,
      'CREDIT>': ({ credit }) => credit,
      CURRENCY: ({ currency }) => currency,
    }),
    balanced ? 'Debits and credits of each currency are equal.' : 'NOT BALANCED: run payin ledger verify.',
  ].join('\n\n')

const describeDays = (days: readonly DayAnswer[]): string =>
  days.length === 0
    ? 'No closing balances yet.'
    : printRows(days, {
        DAY: ({ day }) => day,
        'BANK>': ({ closing, currency }) => printAmount(closing, currency),
        'LEDGER>': ({ ledger, currency }) => printAmount(ledger, currency),
        'DIFFERENCE>': ({ difference, currency }) => printAmount(difference, currency),
        'MAYBE TWICE>': ({ possibleRepeats, currency }) => printAmount(possibleRepeats, currency),
        REQUISITE: ({ requisiteId }) => requisiteId,
      })

const addReconciliation = (ledger: Command): void => {
  ledger
    .command('close <requisite> <day>')
    .description('Note what the bank says that a requisite held at the end of a day, such as 2026-01-31.')
    .requiredOption('--balance <amount>', 'exact amount', exactNumber)
    .requiredOption('--currency <currency>', 'code, such as rub')
    .option('--source <text>', 'where it is from')
    .action(
      inSession(async (session, requisite: string, day: string, options: object) => {
        const address = path`/requisites/${requisite}/closing-balances/${day}`
        session.show(await session.send('PUT', address, options), () => `Noted for ${day}.`)
      }),
    )
  ledger
    .command('reconcile')
    .description('Compare closing balances of banks with the ledger; ends with 1 when one differs.')
    .option('--requisite <id>', 'only this requisite')
    .option('--limit <rows>', 'at most this many, 1 to 500', '50')
    .action(
      inSession(async (session, { requisite, limit }: { requisite?: string; limit: string }) => {
        const query = { requisiteId: requisite, limit }
        const answer = await session.get<{ days: DayAnswer[] }>('/ledger/reconciliation', query)
        session.show(answer, ({ days }) => describeDays(days))
        if (answer.body.days.some((each) => each.difference !== 0)) process.exitCode = 1
      }),
    )
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
    .description('Check that the ledger is consistent and agrees with payments and transfers; ends with 1 when not.')
    .action(inSession((session) => diagnose(session, '/ledger/verify')))
  ledger
    .command('trial-balance')
    .description('Show the sums of all accounts by their kind.')
    .action(
      inSession(async (session) =>
        session.show(await session.get<TrialBalanceAnswer>('/ledger/trial-balance'), describeTrialBalance),
      ),
    )
  ledger
    .command('journal')
    .description('Write postings as CSV to standard output, until two minutes ago: later ones are not final yet.')
    .option('--merchant <merchant>', merchantArgument)
    .option('--from <time>', 'from this time on', time)
    .option('--to <time>', 'before this time', time)
    .action(
      inSession(async (session, options: { merchant?: string; from?: string; to?: string }) => {
        const { merchant, ...query } = options
        const merchantId = await findOptionalMerchantId(session, merchant)
        await session.stream('/ledger/journal.csv', { ...query, merchantId })
      }),
    )
  addReconciliation(ledger)
}

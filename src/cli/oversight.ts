import type { Command } from 'commander'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printTable, printTime } from './print-table.ts'
import { openSession } from './session.ts'

type Balances = {
  readonly balances: readonly { readonly account: string; readonly currency: string; readonly balance: string }[]
}

/** What the checks of the data have found. */
type Diagnosis = {
  readonly healthy: boolean
  readonly checks: readonly { readonly name: string; readonly broken: number; readonly examples: readonly string[] }[]
}

type Audit = {
  readonly entries: readonly {
    readonly sequence: number
    readonly at: string
    readonly actor: string
    readonly action: string
    readonly subject: string
    readonly details: object
  }[]
}

/** The broken checks, or that all hold. */
const tellDiagnosis = ({ healthy, checks }: Diagnosis): string => {
  const broken = checks.filter((check) => check.broken > 0)
  if (healthy) return `Healthy: all ${checks.length} invariants hold.`
  return [
    `Not healthy: ${broken.length} of ${checks.length} invariants are broken.`,
    printTable(
      ['INVARIANT', 'BROKEN ROWS>', 'EXAMPLES'],
      broken.map(({ name, broken: rows, examples }) => [name, rows, examples.join('; ')]),
    ),
  ].join('\n\n')
}

/** Has invariants checked and tells what came of it; the process ends with 1 when one is broken. */
export const diagnose = async (command: Command, path: '/doctor' | '/ledger/verify'): Promise<void> => {
  const session = openSession(command)
  const answer = await session.getPatiently<Diagnosis>(path)
  session.show(answer, tellDiagnosis)
  if (!answer.body.healthy) process.exitCode = 1
}

/** Adds `payin balances`, `payin doctor` and `payin audit`. */
export const addOversightCommands = (program: Command): void => {
  program
    .command('balances')
    .description('Show the balances of the ledger: debits less credits, so what is owed to a merchant is below zero.')
    .option('--merchant <merchant>', merchantArgument)
    .action(async ({ merchant }: { merchant?: string }, command: Command) => {
      const session = openSession(command)
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      session.show(await session.get<Balances>('/ledger/balances', { merchantId }), ({ balances }) =>
        balances.length === 0
          ? 'The ledger is empty.'
          : printTable(
              ['ACCOUNT', 'BALANCE>'],
              balances.map(({ account, currency, balance }) => [account, `${balance} ${currency}`]),
            ),
      )
    })

  program
    .command('doctor')
    .description('Check every invariant of the data; ends with 1 when one is broken.')
    .action((_options: object, command: Command) => diagnose(command, '/doctor'))

  program
    .command('audit')
    .description('Show what operators did: the last entries, or those after a number.')
    .option('--after <sequence>', 'only entries after this one')
    .option('--limit <entries>', 'at most this many, 1 to 500', '50')
    .action(async ({ after, limit }: { after?: string; limit: string }, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<Audit>('/audit', { after, limit }), ({ entries }) =>
        entries.length === 0
          ? 'No entries.'
          : printTable(
              ['#>', 'AT', 'BY', 'DID', 'TO', 'DETAILS'],
              entries.map((entry) => [
                ...[entry.sequence, printTime(entry.at), entry.actor, entry.action, entry.subject],
                shorten(JSON.stringify(entry.details)),
              ]),
            ),
      )
    })
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

import type { Command } from 'commander'
import type { EntryAnswer } from '../http/operator-api/audit.ts'
import type { DiagnosisAnswer } from '../http/operator-api/doctor.ts'
import type { BalancesAnswer } from '../http/operator-api/ledger.ts'
import { findOptionalMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printRows, printTime } from './print-table.ts'
import { inSession, type Session } from './session.ts'

const describeDiagnosis = ({ healthy, checks }: DiagnosisAnswer): string => {
  if (healthy) return `Healthy: all ${checks.length} invariants hold.`
  const broken = checks.filter((check) => check.broken > 0)
  return [
    `Not healthy: ${broken.length} of ${checks.length} invariants are broken.`,
    printRows(broken, {
      INVARIANT: ({ name }) => name,
      'BROKEN ROWS>': (check) => check.broken,
      EXAMPLES: ({ examples }) => examples.join('; '),
    }),
  ].join('\n\n')
}

/** Has invariants checked and prints the result; the process ends with 1 when one is broken. */
export const diagnose = async (session: Session, address: '/doctor' | '/ledger/verify'): Promise<void> => {
  const answer = await session.getPatiently<DiagnosisAnswer>(address)
  session.show(answer, describeDiagnosis)
  if (!answer.body.healthy) process.exitCode = 1
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** Adds `payin balances`, `payin doctor` and `payin audit`. */
export const addOversightCommands = (program: Command): void => {
  program
    .command('balances')
    .description('Show the balances of the ledger: debits less credits, so what is owed to a merchant is below zero.')
    .option('--merchant <merchant>', merchantArgument)
    .action(
      inSession(async (session, { merchant }: { merchant?: string }) => {
        const merchantId = await findOptionalMerchantId(session, merchant)
        session.show(await session.get<BalancesAnswer>('/ledger/balances', { merchantId }), ({ balances }) =>
          balances.length === 0
            ? 'The ledger is empty.'
            : printRows(balances, {
                ACCOUNT: ({ account }) => account,
                'BALANCE>': ({ balance, currency }) => `${balance} ${currency}`,
              }),
        )
      }),
    )

  program
    .command('doctor')
    .description('Check every invariant of the data; ends with 1 when one is broken.')
    .action(inSession((session) => diagnose(session, '/doctor')))

  program
    .command('audit')
    .description('Show what operators did: the last entries, or those after a number.')
    .option('--after <sequence>', 'only entries after this one')
    .option('--limit <entries>', 'at most this many, 1 to 500', '50')
    .action(
      inSession(async (session, query: { after?: string; limit: string }) =>
        session.show(await session.get<{ entries: EntryAnswer[] }>('/audit', query), ({ entries }) =>
          entries.length === 0
            ? 'No entries.'
            : printRows(entries, {
                '#>': ({ sequence }) => sequence,
                AT: ({ at }) => printTime(at),
                BY: ({ actor }) => actor,
                DID: ({ action }) => action,
                TO: ({ subject }) => subject,
                DETAILS: ({ details }) => shorten(JSON.stringify(details)),
              }),
        ),
      ),
    )
}

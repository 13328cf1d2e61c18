import { Command, CommanderError } from 'commander'
import { adjustmentCommands } from './adjustments.ts'
import { bankCommands } from './banks.ts'
import { claimCommands } from './claims.ts'
import { addCommands, addGroups, exampleLines } from './commands.ts'
import { endpointCommands } from './endpoints.ts'
import { disputeCommands } from './disputes.ts'
import { Failure } from './failure.ts'
import { findCommands } from './find.ts'
import { ledgerCommands } from './ledger.ts'
import { limitCommands } from './limits.ts'
import { merchantCommands } from './merchants.ts'
import { outgoingCommands } from './outgoing.ts'
import { oversightCommands } from './oversight.ts'
import { overpaymentCommands } from './overpayments.ts'
import { paymentCommands } from './payments.ts'
import { rateCommands } from './rates.ts'
import { requisiteCommands } from './requisites.ts'
import { riskCommands } from './risk.ts'
import { reversalCommands } from './reversals.ts'
import { sourceCommands } from './sources.ts'
import { statementCommands } from './statements.ts'
import { settlementCommands } from './settlements.ts'
import { termCommands } from './terms.ts'
import { todayCommands } from './today.ts'
import { tokenCommands } from './tokens.ts'
import { transferCommands } from './transfers.ts'

/** Exit code of wrong usage. */
const usageExitCode = 2

const createProgram = (): Command => {
  const program = new Command('payin')
    .description('Operates a running Payin service over its operator API.')
    .option('--url <address>', 'address of the service (PAYIN_URL, else http://127.0.0.1:8080 or PORT)')
    .option('--token <token>', 'operator token (PAYIN_OPERATOR_TOKEN, else that in PAYIN_DATA_DIR or ./data)')
    .option('--json', "print the service's JSON answer as it is")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .showHelpAfterError('Add --help to see what there is.')
    .exitOverride()
  program.addHelpText(
    'after',
    exampleLines([
      'payin merchants create --name "Demo Shop" --mode sandbox',
      'payin tokens issue "Demo Shop" --name "shop server"',
      'payin rates set rub 92.5',
      'payin transfers list --unmatched --json',
      'payin doctor',
    ]),
  )
  addGroups(program, {
    merchants: merchantCommands,
    terms: termCommands,
    tokens: tokenCommands,
    limits: limitCommands,
    rates: rateCommands,
    banks: bankCommands,
    requisites: requisiteCommands,
    transfers: transferCommands,
    reversals: reversalCommands,
    outgoing: outgoingCommands,
    statements: statementCommands,
    sources: sourceCommands,
    payments: paymentCommands,
    claims: claimCommands,
    endpoints: endpointCommands,
    disputes: disputeCommands,
    risk: riskCommands,
    settlements: settlementCommands,
    overpayments: overpaymentCommands,
    adjustments: adjustmentCommands,
    ledger: ledgerCommands,
  })
  addCommands(program, { ...todayCommands, ...findCommands })
  addCommands(program, oversightCommands)
  return program
}

const main = async (): Promise<void> => {
  // `payin … | head` ends the reader first.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed it already.
      process.exitCode = error.exitCode === 0 ? 0 : usageExitCode
    } else if (error instanceof Failure) {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = error.exitCode
    } else throw error
  }
}

await main()

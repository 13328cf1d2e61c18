import { Command, CommanderError } from 'commander'
import { addAdjustmentCommands } from './adjustments.ts'
import { addBankCommands } from './banks.ts'
import { addClaimCommands } from './claims.ts'
import { exampleLines } from './commands.ts'
import { addEndpointCommands } from './endpoints.ts'
import { addDisputeCommands } from './disputes.ts'
import { Failure } from './failure.ts'
import { addLedgerCommands } from './ledger.ts'
import { addLimitCommands } from './limits.ts'
import { addMerchantCommands } from './merchants.ts'
import { addOversightCommands } from './oversight.ts'
import { addOverpaymentCommands } from './overpayments.ts'
import { addPaymentCommands } from './payments.ts'
import { addRateCommands } from './rates.ts'
import { addRequisiteCommands } from './requisites.ts'
import { addRiskCommands } from './risk.ts'
import { addReversalCommands } from './reversals.ts'
import { addStatementCommands } from './statements.ts'
import { addSettlementCommands } from './settlements.ts'
import { addTermCommands } from './terms.ts'
import { addTokenCommands } from './tokens.ts'
import { addTransferCommands } from './transfers.ts'

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
  addMerchantCommands(program)
  addTermCommands(program)
  addTokenCommands(program)
  addLimitCommands(program)
  addRateCommands(program)
  addBankCommands(program)
  addRequisiteCommands(program)
  addTransferCommands(program)
  addReversalCommands(program)
  addStatementCommands(program)
  addPaymentCommands(program)
  addClaimCommands(program)
  addEndpointCommands(program)
  addDisputeCommands(program)
  addRiskCommands(program)
  addSettlementCommands(program)
  addOverpaymentCommands(program)
  addAdjustmentCommands(program)
  addLedgerCommands(program)
  addOversightCommands(program)
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

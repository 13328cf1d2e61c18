import { Command, CommanderError } from 'commander'
import { adjustmentCommands } from './adjustments.ts'
import { alertCommands } from './alerts.ts'
import { bankCommands } from './banks.ts'
import { claimCommands } from './claims.ts'
import { addCommands, addGroups, exampleLines } from './commands.ts'
import { decisionCommands } from './decisions.ts'
import { endpointCommands } from './endpoints.ts'
import { addCompletion } from './completion.ts'
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
import { type OpenSession, openSession } from './session.ts'
import { sourceCommands } from './sources.ts'
import { statementCommands } from './statements.ts'
import { settlementCommands } from './settlements.ts'
import { lineWidth, type Surroundings } from './surroundings.ts'
import { termCommands } from './terms.ts'
import { todayCommands } from './today.ts'
import { tokenCommands } from './tokens.ts'
import { transferCommands } from './transfers.ts'

/** Exit code of wrong usage. */
const usageExitCode = 2

const createProgram = (surroundings: Surroundings, open: OpenSession): Command => {
  const { output, errors } = surroundings
  const width = lineWidth(surroundings)
  const helpWidth = (): number => (width === Infinity ? 120 : width)
  const program = new Command('payin')
    .description('Operates a running Payin service over its operator API.')
    .option('--url <address>', 'address of the service (PAYIN_URL, else http://127.0.0.1:8080 or PORT)')
    .option('--token <token>', 'operator token (PAYIN_OPERATOR_TOKEN, else that of the folder or one above it)')
    .option('--json', "print the service's JSON answer as it is")
    .option('--wide', 'show every column and whole ids, however short the lines of the terminal are')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
    })
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
  addGroups(
    program,
    {
      merchants: merchantCommands,
      terms: termCommands,
      tokens: tokenCommands,
      limits: limitCommands,
      rates: rateCommands,
      banks: bankCommands,
      requisites: requisiteCommands,
      transfers: transferCommands,
      decisions: decisionCommands,
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
      alerts: alertCommands,
    },
    open,
  )
  addCommands(program, { ...todayCommands, ...findCommands }, open)
  addCommands(program, oversightCommands, open)
  addCompletion(program, (text) => output.write(text))
  return program
}

/** Runs `payin` with these words; returns its exit code: 1 for a refusal, 2 for wrong usage. */
export const run = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  let exitCode = 0
  const fail = (): void => {
    exitCode = 1
  }
  try {
    const program = createProgram(surroundings, (command) => openSession(command, surroundings, fail))
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has printed it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode
    if (!(error instanceof Failure)) throw error
    surroundings.errors.write(`${error.message}\n`)
    return error.exitCode
  }
}

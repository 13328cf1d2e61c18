import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { alertCommands } from './alerts.ts'
import { bankCommands } from './banks.ts'
import { integrationCommands } from './check-integration.ts'
import { claimCommands, disputeCommands } from './disputes.ts'
import { addCommands, addGroups, exampleLines } from './commands.ts'
import { adjustments } from '../operations/adjustments.ts'
import { destinations } from '../operations/destinations.ts'
import { decisions } from '../operations/decisions.ts'
import { decisionId } from './decisions.ts'
import { configCommands } from './config.ts'
import { endpointCommands } from './endpoints.ts'
import { addCompletion } from './completion.ts'
import { exitCodes, Failure, failureJson } from './failure.ts'
import { findCommands, oversightCommands, todayCommands } from './oversight.ts'
import { ledgerCommands } from './ledger.ts'
import { limits, merchantTerms } from '../operations/terms.ts'
import { linkCommands } from './links.ts'
import { listenCommands } from './listen.ts'
import { merchantCommands } from './merchants.ts'
import { copyCommands } from './copy-database.ts'
import { paymentCommands } from './payments.ts'
import { rateCommands } from './rates.ts'
import { requisiteCommands } from './requisites.ts'
import { risk } from '../operations/risk.ts'
import { type OpenSession, openSession } from './session.ts'
import { sourceCommands } from './sources.ts'
import { statementCommands } from './statements.ts'
import { nounCommands } from './noun-commands.ts'
import { inbox } from '../operations/inbox.ts'
import { outgoing } from '../operations/outgoing.ts'
import { overpayments } from '../operations/overpayments.ts'
import { reconciliation } from '../operations/reconciliation.ts'
import { reversals } from '../operations/reversals.ts'
import { sources } from '../operations/sources.ts'
import { statements } from '../operations/statements.ts'
import { settlements } from '../operations/settlements.ts'
import { lineWidth, type Surroundings } from './surroundings.ts'
import { keyCommands } from './keys.ts'
import { tokens } from '../operations/tokens.ts'
import { transfers } from '../operations/transfers.ts'
import { transferCommands } from './transfers.ts'
import { sandboxCommands } from './sandbox.ts'
import { logCommands } from './logs.ts'
import { triggerCommands } from './trigger.ts'
import { operatorCommands } from './operators.ts'
import { version } from '../settings/version.ts'

const endings = `

Exit codes:
  0  done
  1 refused by the service, or it reports something wrong
  2 wrong usage: nothing was sent
  3 no answer: check what happened before you repeat a change`

/** The groups of commands, in the order of the help. */
const groups = {
  merchants: merchantCommands,
  terms: nounCommands(merchantTerms),
  tokens: nounCommands(tokens),
  limits: nounCommands(limits),
  rates: rateCommands,
  banks: bankCommands,
  requisites: requisiteCommands,
  transfers: nounCommands(transfers, { ...nounCommands(inbox).commands, ...transferCommands }),
  decisions: nounCommands(decisions, {}, decisionId),
  reversals: nounCommands(reversals),
  outgoing: nounCommands(outgoing),
  statements: nounCommands(statements, statementCommands),
  sources: nounCommands(sources, sourceCommands),
  payments: paymentCommands,
  links: linkCommands,
  operators: operatorCommands,
  keys: keyCommands,
  claims: claimCommands,
  endpoints: endpointCommands,
  disputes: disputeCommands,
  risk: nounCommands(risk),
  destinations: nounCommands(destinations),
  settlements: nounCommands(settlements),
  overpayments: nounCommands(overpayments),
  adjustments: nounCommands(adjustments),
  ledger: nounCommands(reconciliation, ledgerCommands),
  alerts: alertCommands,
  sandbox: sandboxCommands,
  config: configCommands,
}

const createProgram = (
  surroundings: Surroundings,
  open: OpenSession,
  writeUsageError: (text: string) => void,
): Command => {
  const { output } = surroundings
  const width = lineWidth(surroundings)
  const helpWidth = (): number => (width === Infinity ? 120 : width)
  const program = new Command('payin')
    .description('Operates a running Payin service over its operator API, or uses it as a merchant.')
    .version(version, '--version', 'print the version of the command')
    .option('--url <address>', 'address of the service (PAYIN_URL, else that of HOST and PORT)')
    .option(
      '--token <token>',
      'operator token (PAYIN_OPERATOR_TOKEN, else that of this folder or one above it), or merchant token (PAYIN_TOKEN); other users of the machine see it in the list of processes, so rather set PAYIN_OPERATOR_TOKEN_FILE or PAYIN_TOKEN_FILE',
    )
    .option('--json', "print the service's JSON answer as it is, and a refusal as JSON on standard error")
    .option('--wide', 'show every column and whole ids, however narrow the terminal is')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: writeUsageError,
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
    })
    .showHelpAfterError('Add --help to see all commands and options.')
    .exitOverride()
  program.addHelpText(
    'after',
    exampleLines([
      'payin merchants create --name "Demo Shop" --mode sandbox',
      'payin tokens issue "Demo Shop" --name "shop server"',
      'payin rates set rub 92.5',
      'payin transfers list --unmatched --json',
      'payin doctor',
    ]) + endings,
  )
  addGroups(program, groups, open)
  addCommands(program, { ...todayCommands, ...findCommands }, open)
  addCommands(program, { ...oversightCommands, ...copyCommands }, open)
  addCommands(program, { ...listenCommands, ...triggerCommands, ...integrationCommands, ...logCommands }, open)
  addCompletion(program, (text) => output.write(text))
  return program
}

/** A usage error of commander, without its prefix `error: `. */
const toFailure = (error: CommanderError): Failure =>
  new Failure([error.message.replace(/^error: /, '')], exitCodes.usage)

/** Runs `payin` with these words and returns its exit code, see `exitCodes`. With `--json`, failures are JSON, too. */
export const run = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  const { errors } = surroundings
  const isJson = words.includes('--json')
  let exitCode = 0
  const fail = (): void => {
    exitCode = exitCodes.refused
  }
  const writeUsageError = (text: string): void => {
    if (!isJson) errors.write(text)
  }
  const program = createProgram(surroundings, (command) => openSession(command, surroundings, fail), writeUsageError)
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const failure = error instanceof CommanderError ? toFailure(error) : error
    if (!(failure instanceof Failure)) throw error
    if (isJson) errors.write(`${failureJson(failure)}\n`)
    // Commander has printed its own errors, but not those of values that a command has read.
    else if (failure === error || error instanceof InvalidArgumentError) errors.write(`${failure.message}\n`)
    return failure.exitCode
  }
}

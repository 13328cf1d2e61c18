import { Command, CommanderError, Help, InvalidArgumentError } from 'commander'
import { integrationCommands } from './check-integration.ts'
import { addCommands, type Commands, type Definition, exampleLines } from './commands.ts'
import { addCompletion } from './completion.ts'
import { exitCodes, Failure, failureJson } from './failure.ts'
import { oversightCommands } from './oversight.ts'
import { listenCommands } from './listen.ts'
import { copyCommands } from './copy-commands.ts'
import { serveCommands } from './serve.ts'
import { say, useLanguageOf } from './say.ts'
import { type OpenSession, openSession } from './session.ts'
import { nounCommands } from './noun-commands.ts'
import { logCommands } from './logs.ts'
import { harmless } from './lay-out-table.ts'
import { lineWidth, type Surroundings } from './surroundings.ts'
import { triggerCommands } from './merchant-payments.ts'
import { version } from '../settings/version.ts'

const endings = `

Spans are written like 90s, 30m, 24h or 7d; times like 2026-01-31 or "2026-01-31 12:30", in the zone of the terminal.

Exit codes:
  0  done
  1 refused by the service, or it reports something wrong
  2 wrong usage: nothing was sent
  3 no answer: check what happened before you repeat a change`

/**
 * The groups of commands, in the order of the help. A call loads only those that its words name: most of its time is
 * loading.
 */
const groups: Readonly<Record<string, () => Promise<Definition>>> = {
  merchants: async () => (await import('./merchants.ts')).merchantCommands,
  terms: async () => nounCommands((await import('../operations/terms.ts')).merchantTerms),
  tokens: async () => nounCommands((await import('../operations/tokens.ts')).tokens),
  limits: async () => nounCommands((await import('../operations/terms.ts')).limits),
  rates: async () => {
    const [{ rateOverrides, rates }, { rateSources }] = await Promise.all([
      import('../operations/rates.ts'),
      import('../operations/rate-sources.ts'),
    ])
    return nounCommands(rates, {
      sources: nounCommands(rateSources),
      override: nounCommands(rateOverrides),
    })
  },
  banks: async () => (await import('./banks.ts')).bankCommands,
  requisites: async () => (await import('./requisites.ts')).requisiteCommands,
  transfers: async () => (await import('./transfers.ts')).transferCommands,
  decisions: async () => nounCommands((await import('../operations/decisions.ts')).decisions),
  reversals: async () => nounCommands((await import('../operations/reversals.ts')).reversals),
  outgoing: async () => nounCommands((await import('../operations/outgoing.ts')).outgoing),
  'outgoing-rules': async () => nounCommands((await import('../operations/outgoing-rules.ts')).outgoingRules),
  statements: async () => (await import('./statements.ts')).statementCommands,
  sources: async () => nounCommands((await import('../operations/sources.ts')).sources),
  phones: async () => (await import('./phones.ts')).phoneCommands,
  templates: async () => nounCommands((await import('../operations/message-templates.ts')).messageTemplates),
  payments: async () => (await import('./payments.ts')).paymentCommands,
  links: async () => (await import('./links.ts')).linkCommands,
  operators: async () => nounCommands((await import('../operations/members.ts')).members),
  keys: async () => nounCommands((await import('../operations/keys.ts')).keys),
  claims: async () => (await import('./disputes.ts')).claimCommands,
  endpoints: async () => (await import('./endpoints.ts')).endpointCommands,
  disputes: async () => (await import('./disputes.ts')).disputeCommands,
  risk: async () => nounCommands((await import('../operations/risk.ts')).risk),
  destinations: async () => nounCommands((await import('../operations/destinations.ts')).destinations),
  settlements: async () => nounCommands((await import('../operations/settlements.ts')).settlements),
  refunds: async () => (await import('./refunds.ts')).refundCommands,
  overpayments: async () => nounCommands((await import('../operations/overpayments.ts')).overpayments),
  adjustments: async () => nounCommands((await import('../operations/adjustments.ts')).adjustments),
  ledger: async () => (await import('./ledger.ts')).ledgerCommands,
  alerts: async () => (await import('./alerts.ts')).alertCommands,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommands,
  config: async () => (await import('./config.ts')).configCommands,
}

const alone: Commands = {
  ...{ ...serveCommands, ...oversightCommands, ...copyCommands, ...listenCommands, ...triggerCommands },
  ...{ ...integrationCommands, ...logCommands },
}

/** The groups that these words may name; all of them if the words name no command. */
export const loadGroups = async (words: readonly string[]): Promise<Commands> => {
  const all = Object.entries(groups)
  const named = all.filter(([name]) => words.includes(name))
  const wanted = named.length > 0 || words.some((word) => word in alone) ? named : all
  return Object.fromEntries(await Promise.all(wanted.map(async ([name, load]) => [name, await load()] as const)))
}

/** What commander adds to descriptions and usage in the language of the terminal. */
const sayWords = (added: string): string =>
  added.replaceAll(/(?<=[[(])(options|command|choices|default)(?=[\]:])/g, (word) => say(word))

const sayDescription = (description: string, whole: string): string =>
  say(description) + sayWords(whole.slice(description.length))

/** The program with its commands, in the language of the terminal. */
export const createProgram = (
  loaded: Commands,
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
      'operator token (PAYIN_OPERATOR_TOKEN, else that of this folder or one above it, or of the Payin of this command), or merchant token (PAYIN_TOKEN); other users of the machine see it in the list of processes, so rather set PAYIN_OPERATOR_TOKEN_FILE or PAYIN_TOKEN_FILE',
    )
    .option('--json', "print the service's JSON answer as it is, and a refusal as JSON on standard error")
    .option('--wide', 'show every column and whole ids, however narrow the terminal is')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: say,
      commandUsage: (command) => sayWords(new Help().commandUsage(command)),
      commandDescription: (command) => say(command.description()),
      subcommandTerm: (command) => command.name(),
      subcommandDescription: (command) => say(command.description()),
      argumentDescription: (argument) => sayDescription(argument.description, new Help().argumentDescription(argument)),
      optionDescription: (option) => {
        const description = sayDescription(option.description, new Help().optionDescription(option))
        return option.mandatory ? `${say('required')}: ${description}` : description
      },
    })
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
    ]) + say(endings),
  )
  addCommands(program, { ...loaded, ...alone }, open)
  addCompletion(program, (text) => output.write(text))
  return program
}

/** A usage error of commander, without its prefix `error: `. */
const toFailure = (error: CommanderError): Failure =>
  new Failure([error.message.replace(/^error: /, '')], exitCodes.usage)

/** Runs `payin` with these words and returns its exit code, see `exitCodes`. With `--json`, failures are JSON, too. */
export const run = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  const { errors } = surroundings
  await useLanguageOf(surroundings.environment)
  const isJson = words.includes('--json')
  let exitCode = 0
  const fail = (): void => {
    exitCode = exitCodes.refused
  }
  const writeUsageError = (text: string): void => {
    if (!isJson) errors.write(say(text))
  }
  const program = createProgram(
    await loadGroups(words),
    surroundings,
    (command) => openSession(command, surroundings, fail),
    writeUsageError,
  )
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const failure = error instanceof CommanderError ? toFailure(error) : error
    if (!(failure instanceof Failure)) throw error
    if (isJson) errors.write(`${failureJson(failure)}\n`)
    // Commander has printed its own errors, but not those of values that a command has read.
    else if (failure === error || error instanceof InvalidArgumentError) errors.write(`${harmless(failure.message)}\n`)
    return failure.exitCode
  }
}

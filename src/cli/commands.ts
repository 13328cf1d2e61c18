import type { Command } from 'commander'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { flag, option, type Given, type Inputs, namingInputs, onlyGiven } from './inputs.ts'
import { type Printed } from './print-table.ts'
import { words } from './read-arguments.ts'
import type { Request } from '../operations/operation.ts'
import { say } from './say.ts'
import type { OpenSession, Session } from './session.ts'

type Described<I extends Inputs> = {
  readonly description: string
  /** Arguments and options in the order of the help, under their names in the request. */
  readonly inputs?: I
}

type Running<I extends Inputs> = Described<I> & {
  readonly run: (session: Session, given: Given<I>) => Promise<void>
}

/** A command that is one request and prints its answer. */
export type Requesting<I extends Inputs, A> = Described<I> & {
  /** The values of path and query, if they are not simply the inputs. */
  readonly values?: (given: Given<I>, session: Session) => Promise<Readonly<Record<string, unknown>>>
  /** The body, if it is not simply the inputs. A text is sent unchanged. */
  readonly body?: ((given: Given<I>, session: Session) => object | string | Promise<object | string>) | undefined
  readonly print: (answer: A, given: Given<I>) => Printed
  /** Whether the command exits with 1 although the request succeeded. */
  readonly failed?: ((answer: A) => boolean) | undefined
  /** What is done with the answer after it was printed. */
  readonly after?: (answer: A, given: Given<I>, session: Session) => Promise<void>
  /** The same command with a merchant's token. */
  readonly asMerchant?: (payin: Payin, given: Given<I>) => Promise<A>
  /** The export of a list with a merchant's token, with its filters. */
  readonly csvAsMerchant?: (payin: Payin, filters: Readonly<Record<string, unknown>>) => Promise<string>
  /** The list that `--csv` exports. Default: the list itself. */
  readonly csvOf?: Request
  /** For requests that read whole tables and may take minutes. */
  readonly patient?: true | undefined
}

export type Definition = { readonly define: (command: Command, open: OpenSession) => void }

export type Commands = Readonly<Record<string, Definition>>

/** A group of commands, such as `payin tokens`, with examples at the end of its help. */
type Group = {
  readonly description: string
  readonly examples: readonly string[]
  readonly commands: Commands
  /** The command that runs if none is named. */
  readonly usual?: string | undefined
}

/** Examples for the end of a help text. */
export const exampleLines = (examples: readonly string[]): string =>
  ['', say('Examples:'), ...examples.map((line) => `  ${line.replace(/(?<= {3})\(.*\)$/, say)}`)].join('\n')

/** Adds commands under their names; the `usual` one runs if none is named. */
export const addCommands = (parent: Command, commands: Commands, open: OpenSession, usual?: string): void => {
  for (const [name, { define }] of Object.entries(commands))
    define(parent.command(name, { isDefault: name === usual }), open)
}

/** A group of commands. */
export const group = ({ description, examples, commands, usual }: Group): Definition => ({
  define: (added, open) => {
    added.description(description)
    if (examples.length > 0) added.addHelpText('after', exampleLines(examples))
    addCommands(added, commands, open, usual)
  },
})

/** A command that runs a function. */
export const command = <I extends Inputs>({ description, inputs, run }: Running<I>): Definition => ({
  define: (added, open) => {
    added.description(description)
    const readers = Object.entries(inputs ?? {}).map(([key, input]) => [key, input.declare(added)] as const)
    added.action(async () => {
      const session = open(added)
      const given: Record<string, unknown> = {}
      for (const [key, read] of readers) given[key] = await read(session, given)
      await run(session, given as Given<I>).catch((error: unknown) => {
        throw namingInputs(error, inputs ?? {}, given)
      })
    })
  },
})

/**
 * A command that is one request. Inputs that its path names fill the path; the others are the query or the body. The
 * input `csv` requests the export instead: all pages, with the same filters.
 */
export const request = <A, I extends Inputs>(wanted: Request, asked: Requesting<I, A>): Definition =>
  command({
    ...asked,
    run: async (session, given) => {
      const { body, values, print, failed, after, patient, asMerchant, csvAsMerchant, csvOf = wanted } = asked
      const { csv, columns: _, key, ...typed } = given as Readonly<Record<string, unknown>>
      const { limit: _l, cursor: _c, count: _n, ...filters } = typed
      if (asMerchant && session.side() === 'merchant') {
        if (csv !== undefined && csvAsMerchant) {
          session.surroundings.output.write(
            await session.merchant().ask((payin) => csvAsMerchant(payin, onlyGiven(filters))),
          )
          return
        }
        const said = await session.merchant().ask((payin) => asMerchant(payin, typed as Given<I>))
        return session.showValue(said, (content) => print(content, given))
      }
      if (csv !== undefined) return session.stream(`${csvOf}.csv`, filters)
      const sent = (await values?.(given, session)) ?? typed
      const idempotencyKey = key as string | undefined
      const options = { body: await body?.(given, session), patient, idempotencyKey }
      const answer = await session.call<A>(wanted, sent, options)
      session.show(answer, (content) => print(content, given))
      await after?.(answer.body, given, session)
      if (failed?.(answer.body)) session.fail()
    },
  })

/** A command that calls the service once as a merchant and prints the answer. */
export const merchantRequest = <A, I extends Inputs>({
  ask,
  print,
  failed,
  ...described
}: Described<I> & {
  readonly ask: (payin: Payin, given: Given<I>, session: Session) => Promise<A>
  readonly print: (answer: A, given: Given<I>) => Printed
  readonly failed?: (answer: A, given: Given<I>) => boolean
}): Definition =>
  command({
    ...described,
    run: async (session, given) => {
      const answer = await session.merchant().ask((payin) => ask(payin, given, session))
      session.showValue(answer, (content) => print(content, given))
      if (failed?.(answer, given)) session.fail()
    },
  })

export const csvInput = { csv: flag('--csv', 'write all pages to standard output as CSV') }

export const keyInput = {
  key: option('--key <text>', 'your own key: repeating the command with the same key changes nothing'),
}

export const columnsInput = { columns: option('--columns <names>', 'only these columns, separated by commas', words) }

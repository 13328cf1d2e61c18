import type { Command } from 'commander'
import type { Given, Inputs } from './inputs.ts'
import { type Columns, printNext, printRows } from './print-table.ts'
import { openSession, type Request, type Session } from './session.ts'

type Named<I extends Inputs> = {
  readonly name: string
  readonly description: string
  /** Arguments and options, in the order of the help, under the names that they have in the request. */
  readonly inputs?: I
}

/** A command that runs a function. */
type Running<I extends Inputs> = Named<I> & {
  readonly run: (session: Session, given: Given<I>) => Promise<void>
}

/** A command that is one request and prints its answer. */
type Requesting<I extends Inputs, A> = Named<I> & {
  /** Inputs named in the path fill it; the others are the query or the body. */
  readonly request: Request
  /** The body, where it is not simply the inputs; a text is sent as it is. */
  readonly body?: (given: Given<I>, session: Session) => object | string | Promise<object | string>
  readonly print: (answer: A, given: Given<I>) => string
  /** Whether the command ends with 1, although it was answered. */
  readonly failed?: (answer: A) => boolean
  /** For requests that read whole tables and may take minutes. */
  readonly patient?: true
}

/** A command that prints a table. */
type Listing<I extends Inputs, A, Row> = Omit<Requesting<I, A>, 'print'> & {
  readonly rows: (answer: A) => readonly Row[]
  readonly columns: Columns<Row>
  /** What to print where there are no rows; default: the headers alone. */
  readonly empty?: string | ((given: Given<I>) => string)
  /** Text below the table. */
  readonly notes?: (answer: A) => string
}

/** Examples for the end of a help text. */
export const exampleLines = (examples: readonly string[]): string =>
  ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n')

/** Adds a group of commands, such as `payin tokens`, with examples at the end of its help. */
export const addGroup = (
  program: Command,
  group: { readonly name: string; readonly description: string; readonly examples: readonly string[] },
): Command =>
  program.command(group.name).description(group.description).addHelpText('after', exampleLines(group.examples))

/** Adds a command that does more than one request. */
export const addCommand = <I extends Inputs>(group: Command, { name, description, inputs, run }: Running<I>) => {
  const command = group.command(name).description(description)
  const readers = Object.entries(inputs ?? {}).map(([key, input]) => [key, input.declare(command)] as const)
  command.action(async () => {
    const session = openSession(command)
    const given: Record<string, unknown> = {}
    for (const [key, read] of readers) given[key] = await read(session)
    await run(session, given as Given<I>)
  })
}

/** Adds a command that is one request. */
export const addRequest = <A, I extends Inputs>(group: Command, command: Requesting<I, A>): void => {
  const { request, body, print, failed, patient } = command
  addCommand(group, {
    ...command,
    run: async (session, given) => {
      const answer = await session.call<A>(request, given, { body: await body?.(given, session), patient })
      session.show(answer, (content) => print(content, given))
      if (failed?.(answer.body)) process.exitCode = 1
    },
  })
}

/** Adds a command that prints rows as a table, and how to get the next page where there is one. */
export const addList = <A extends object, Row, I extends Inputs>(
  group: Command,
  { rows, columns, empty, notes, ...command }: Listing<I, A, Row>,
): void =>
  addRequest(group, {
    ...command,
    print: (answer: A, given) => {
      const shown = rows(answer)
      if (shown.length === 0 && empty !== undefined) return typeof empty === 'string' ? empty : empty(given)
      const { nextCursor } = answer as { nextCursor?: string }
      return printRows(shown, columns) + (notes?.(answer) ?? '') + printNext(nextCursor)
    },
  })

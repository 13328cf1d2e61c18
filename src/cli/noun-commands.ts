import { type Field, fieldsOf } from '../operations/field.ts'
import { type Command, type Noun, type Operations, rowsNameOf } from '../operations/operation.ts'
import {
  columnsInput,
  type Commands,
  csvInput,
  type Definition,
  group,
  keyInput,
  request,
  type Requesting,
} from './commands.ts'
import { aboutOperation, bodyOf, inputsOf, type TypedField, typedFields } from './field-inputs.ts'
import { Failure } from './failure.ts'
import { always, type Inputs, option, required, resolved, type Values } from './inputs.ts'
import { type Printed, printList, printPageEnd, printSections, render } from './print-table.ts'
import type { Session } from './session.ts'
import { aboutItems, type ItemsOfFile, readItems } from './read-items.ts'
import { columnsOfRows, forms, printRow, printTables } from './show-rows.ts'

type Operation = Operations[string]

/** The rows of an answer that is a list: of what it exports or, without an export, what a command shows in columns. */
const rowsOf = (operation: Operation, { columns }: Command): Field | undefined => {
  const exported = rowsNameOf(operation)
  if (columns === undefined && exported === undefined) return undefined
  return fieldsOf(operation.answer).find(({ name, kind }) =>
    exported === undefined ? kind === 'rows' : name === exported,
  )
}

const textOf = (text: Command['says'] | Command['note'], said: never, given: Values): string | undefined =>
  typeof text === 'function' ? text(said, forms, given) : text

type Answer = Readonly<Record<string, readonly object[]>>

/** How an answer is printed: the rows of a list with its end, and other rows below them; or field by field. */
const printerOf = (operation: Operation, command: Command) => {
  const { columns, empty, says, note } = command
  const rows = rowsOf(operation, command)
  const shape = Object.values(operation.answers ?? {})[0] ?? operation.answer ?? {}
  if (rows === undefined)
    return (said: never, given: Values): Printed =>
      printSections(textOf(says, said, given) ?? printRow(shape, said), textOf(note, said, given))
  const others = fieldsOf(shape).filter(({ name, kind }) => kind === 'rows' && name !== rows.name)
  return (said: never, given: Values): Printed => {
    const listed = ((said as Answer)[rows.name] ?? []).map((row) => ({ currency: given['currency'], ...row }))
    const below = [...printTables(others, said, false), textOf(note, said, given), ...printPageEnd(said)]
    const table = printList(listed, columnsOfRows(rows.fields, columns), columnsOfRows(rows.fields))
    if (listed.length > 0 || empty === undefined) return printSections(table, ...below)
    return (screen) => {
      // Refuses an unknown column even if there are no rows.
      render(table, screen)
      return render(printSections(empty, ...below), screen)
    }
  }
}

/** Prints an answer as its operation says. */
export const printAnswer = (declared: object, said: object): Printed => {
  const operation = declared as Operation
  return printerOf(operation, operation.command ?? {})(said as never, {})
}

/** What a command has that its declaration does not say. */
type More = Pick<Requesting<Inputs, object>, 'values' | 'body' | 'csvOf' | 'asMerchant' | 'csvAsMerchant' | 'after'> & {
  /** Adds to what was typed for the item of a list. */
  readonly complete?: (given: Values, session: Session) => Promise<Values>
  readonly print?: (answer: never, given: never) => Printed
  /** Its own inputs, under the names of the fields that they are typed for. */
  readonly inputs?: Inputs
}

/** The option for a file with the items of a list; it is required if no item can be typed. */
const fileInput = (list: Field, { cells = {} }: Command, fields: readonly TypedField[]): Inputs => {
  const typed = fields.filter(({ within }) => within === 'item')
  if (typed.some(({ isArgument }) => isArgument)) return {}
  const file = (typed.length > 0 ? option : required)('--file <path>', aboutItems(list, cells))
  return { file: resolved<string | undefined, unknown>(file, (session, path) => readItems(session, path, list, cells)) }
}

/** The body of a request whose list has the items of a file, or the one that was typed. */
const bodyWithList = (
  ofBody: readonly Field[],
  list: string,
  fields: readonly TypedField[],
  given: Values,
): object | string => {
  const file = given['file'] as ItemsOfFile | undefined
  const whole = bodyOf(ofBody, given, list)
  if (file !== undefined) {
    const others = JSON.stringify({ ...whole, [list]: undefined }).slice(1, -1)
    return `{${others}${others === '' ? '' : ','}"${list}":${file.json}}`
  }
  const missing = fields.filter(
    ({ name, within, isRequired }) => within === 'item' && isRequired && given[name] === undefined,
  )
  if (missing.length === 0) return whole
  throw new Failure([`Give ${missing.map((each) => each.option).join(', ')}, or --file.`], 2)
}

const toCommand = (operation: Operation, command: Command, { inputs, complete, ...more }: More): Commands[string] => {
  const { fixed = {}, fails, patient } = command
  const ofBody = fieldsOf(operation.body)
  const list = ofBody.find(({ name }) => name === command.list)
  const fields = typedFields(operation, command)
  const hasKey = 'idempotency-key?' in (operation.headers ?? {})
  const isExported = rowsNameOf(operation) !== undefined || more.csvOf !== undefined
  return request(operation.request, {
    description: command.about ?? aboutOperation(operation, fields),
    inputs: {
      ...(list && fileInput(list, command, fields)),
      ...inputsOf(fields),
      ...(list && hasKey && keyInput),
      ...inputs,
      ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, always(value)])),
      ...(isExported && csvInput),
      ...(rowsOf(operation, command) && columnsInput),
    },
    ...(ofBody.length > 0 && {
      body: async (given: Values, session: Session) => {
        if (list === undefined) return bodyOf(ofBody, given)
        const whole = given['file'] === undefined ? ((await complete?.(given, session)) ?? given) : given
        return bodyWithList(ofBody, list.name, fields, whole)
      },
    }),
    print: printerOf(operation, command),
    failed: fails,
    patient,
    ...(more as object),
  })
}

/** The command of an operation, or the further one of this name, with more than the declaration says. */
export const commandOf = (declared: object, more: More = {}, name = ''): Commands[string] => {
  const operation = declared as Operation
  const command = operation.commands?.[name] ?? operation.command ?? {}
  return toCommand(operation, command, more)
}

/** The commands that operations declare. */
export const declaredCommands = (operations: object): Commands => {
  const commands = Object.entries(operations as Operations).flatMap(([verb, operation]) => {
    const { command: own = operation.commands ? null : {}, commands: others } = operation
    const declared = { ...(own && { [verb]: own }), ...others }
    return Object.entries(declared).map(([name, command]) => [name, toCommand(operation, command, {})])
  })
  return Object.fromEntries(commands) as Commands
}

/** The commands of a noun: those that its operations declare, and `own` ones, which may replace them. */
export const nounCommands = ({ about, operations, ...noun }: Noun<object>, own: Commands = {}): Definition =>
  group({ ...noun, description: about, commands: { ...declaredCommands(operations), ...own } })

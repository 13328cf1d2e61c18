import { type Field, fieldsOf } from '../operations/field.ts'
import { type Command, type Noun, type Operations, rowsNameOf } from '../operations/operation.ts'
import { columnsInput, type Commands, csvInput, type Group, request, type Requesting } from './commands.ts'
import { aboutOperation, inputsOf, typedFields } from './field-inputs.ts'
import { always, type Input, type Inputs, onlyGiven, type Values } from './inputs.ts'
import { type Printed, printList, printPageEnd, printSections, render } from './print-table.ts'
import { columnsOfRows, forms, printRow, printTables } from './show-rows.ts'

/** The body as the service takes it: values under their names, those of a group within it. */
export const bodyOf = (fields: readonly Field[], given: Values): Record<string, unknown> => {
  const values = fields.map(({ name, kind, isRequired, fields: inner = [] }) => {
    if (kind !== 'group') return [name, given[name]]
    const own = onlyGiven(Object.fromEntries(inner.map((each) => [each.name, given[each.name]])))
    return [name, isRequired || Object.keys(own).length > 0 ? own : undefined]
  })
  return Object.fromEntries(values) as Record<string, unknown>
}

type Operation = Operations[string]

/** The rows of an answer that is a list: of what it exports or, without an export, what a command shows in columns. */
const rowsOf = (operation: Operation, { columns }: Command): Field | undefined => {
  const exported = rowsNameOf(operation)
  if (columns === undefined && exported === undefined) return undefined
  return fieldsOf(operation.answer).find(({ name, kind }) =>
    exported === undefined ? kind === 'rows' : name === exported,
  )
}

const textOf = (text: Command['says'] | Command['note'], said: never): string | undefined =>
  typeof text === 'function' ? text(said, forms) : text

type Answer = Readonly<Record<string, readonly object[]>>

/** How an answer is printed: the rows of a list with its end, and other rows below them; or field by field. */
const printerOf = (operation: Operation, command: Command) => {
  const { columns, empty, says, note } = command
  const rows = rowsOf(operation, command)
  const shape = Object.values(operation.answers ?? {})[0] ?? operation.answer ?? {}
  if (rows === undefined)
    return (said: never): Printed => printSections(textOf(says, said) ?? printRow(shape, said), textOf(note, said))
  const others = fieldsOf(shape).filter(({ name, kind }) => kind === 'rows' && name !== rows.name)
  return (said: never, { currency }: Values): Printed => {
    const listed = ((said as Answer)[rows.name] ?? []).map((row) => ({ currency, ...row }))
    const below = [...printTables(others, said, false), textOf(note, said), ...printPageEnd(said)]
    const table = printList(listed, columnsOfRows(rows.fields, columns), columnsOfRows(rows.fields))
    if (listed.length > 0 || empty === undefined) return printSections(table, ...below)
    return (screen) => {
      // Refuses an unknown column even if there are no rows.
      render(table, screen)
      return render(printSections(empty, ...below), screen)
    }
  }
}

const find = (operations: object, verb: string): Operation => {
  const operation = (operations as Operations)[verb]
  if (operation === undefined) throw new Error(`no operation ${verb}`)
  return operation
}

/** Prints an answer as its operation says. */
export const printAnswer = (operations: object, verb: string, said: object): Printed => {
  const operation = find(operations, verb)
  return printerOf(operation, operation.command ?? {})(said as never, {})
}

/** What a command has that its declaration does not say. */
type More = Pick<Requesting<Inputs, object>, 'values' | 'body' | 'csvOf' | 'asMerchant' | 'csvAsMerchant'> & {
  /** How its answer is printed, if not only as declared. */
  readonly print?: (answer: never) => Printed
  /** Its own inputs, under the names of the fields that they are typed for. */
  readonly inputs?: Inputs
  /** What reads the id that the service does not know by name. */
  readonly id?: Input<string> | undefined
}

/** One command of an operation. */
const toCommand = (operation: Operation, command: Command, { inputs, id, ...more }: More): Commands[string] => {
  const { fixed = {}, fails, patient } = command
  const ofBody = fieldsOf(operation.body)
  const fields = typedFields(operation, command)
  const isExported = rowsNameOf(operation) !== undefined || more.csvOf !== undefined
  return request(operation.request, {
    description: command.about ?? aboutOperation(operation, fields),
    inputs: {
      ...inputsOf(fields),
      ...(id && fields.some(({ name }) => name === 'id') && { id }),
      ...inputs,
      ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, always(value)])),
      ...(isExported && csvInput),
      ...(rowsOf(operation, command) && columnsInput),
    },
    ...(ofBody.some(({ kind }) => kind === 'group') && { body: (given: Values) => bodyOf(ofBody, given) }),
    print: printerOf(operation, command),
    failed: fails,
    patient,
    ...(more as object),
  })
}

/** The command of an operation, with more than the declaration says. */
export const commandOf = (operations: object, verb: string, more: More = {}, name = verb): Commands[string] => {
  const operation = find(operations, verb)
  const command = operation.commands?.[name] ?? operation.command ?? {}
  return toCommand(operation, command, more)
}

/** The commands that operations declare. `id` reads what the service does not know by name. */
export const declaredCommands = (operations: object, id?: Input<string>): Commands => {
  const commands = Object.entries(operations as Operations).flatMap(([verb, operation]) => {
    const declared = { ...(operation.command && { [verb]: operation.command }), ...operation.commands }
    return Object.entries(declared).map(([name, command]) => [name, toCommand(operation, command, { id })])
  })
  return Object.fromEntries(commands) as Commands
}

/** The commands of a noun: those that its operations declare, and `own` ones, which may replace them. */
export const nounCommands = (
  { about, examples, usual, operations }: Noun<object>,
  own: Commands = {},
  id?: Input<string>,
): Group => ({ description: about, examples, usual, commands: { ...declaredCommands(operations, id), ...own } })

import { type Field, fieldsOf } from '../operations/field.ts'
import { type Command, type Noun, type Operations, rowsNameOf } from '../operations/operation.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { type Commands, type Group, list, request } from './commands.ts'
import { aboutOperation, inputsOf, typedFields } from './field-inputs.ts'
import { always, type Input, type Inputs, onlyGiven, type Values } from './inputs.ts'
import { type Printed, printSections } from './print-table.ts'
import { columnsOfRows, forms, printRow } from './show-rows.ts'

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

/** What a command has that its declaration does not say. */
type More = {
  /** Its own inputs, under the names of the fields that they are typed for. */
  readonly inputs?: Inputs
  /** What reads the id that the service does not know by name. */
  readonly id?: Input<string> | undefined
  /** The same with a merchant's token, and its export. */
  readonly asMerchant?: (payin: Payin, given: Values) => Promise<object>
  readonly csvAsMerchant?: (payin: Payin, filters: Values) => Promise<string>
}

/** One command of an operation. */
const toCommand = (operation: Operation, command: Command, { inputs, id, ...more }: More): Commands[string] => {
  const { fixed = {}, columns, empty, says, note, fails, patient } = command
  const ofBody = fieldsOf(operation.body)
  const fields = typedFields(operation, command)
  const ask = {
    ...(more as object),
    description: command.about ?? aboutOperation(operation, fields),
    inputs: {
      ...inputsOf(fields),
      ...(id && fields.some(({ name }) => name === 'id') && { id }),
      ...inputs,
      ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, always(value)])),
    } as Inputs,
    body: ofBody.some((field) => field.kind === 'group') ? (given: Values) => bodyOf(ofBody, given) : undefined,
    failed: fails,
    patient,
  }
  const rows = rowsOf(operation, command)
  if (rows !== undefined)
    return list(operation.request, {
      ...ask,
      rows: (said: Readonly<Record<string, never>>): never[] => said[rows.name] ?? [],
      empty,
      notes: (said: never) => textOf(note, said),
      columns: columnsOfRows(rows.fields, columns),
      onlyThen: columnsOfRows(rows.fields),
      ...(operation.exports === undefined && { csvOf: null }),
    })
  const shape = Object.values(operation.answers ?? {})[0] ?? operation.answer ?? {}
  const print = (said: never): Printed => printSections(textOf(says, said) ?? printRow(shape, said), textOf(note, said))
  return request(operation.request, { ...ask, print })
}

/** The command of a noun's operation, with more than the declaration says. */
export const commandOf = (noun: Noun<object>, verb: string, more: More): Commands[string] => {
  const operation = (noun.operations as Operations)[verb]
  if (operation?.command === undefined) throw new Error(`no command ${verb}`)
  return toCommand(operation, operation.command, more)
}

/**
 * The commands of a noun: those that its operations declare, and `own` ones, which may replace them. `id` reads what the
 * service does not know by name.
 */
export const nounCommands = (noun: Noun<object>, own: Commands = {}, id?: Input<string>): Group => {
  const { about, examples, usual } = noun
  const commands = Object.entries(noun.operations as Operations).flatMap(([verb, operation]) => {
    const declared = { ...(operation.command && { [verb]: operation.command }), ...operation.commands }
    return Object.entries(declared).map(([name, command]) => [name, toCommand(operation, command, { id })])
  })
  return { description: about, examples, usual, commands: { ...(Object.fromEntries(commands) as Commands), ...own } }
}

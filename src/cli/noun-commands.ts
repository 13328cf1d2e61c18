import { type Field, fieldsOf, shownAlone } from '../operations/field.ts'
import type { NamedKind } from '../operations/named.ts'
import { type Command, type Noun, type Operations, rowsNameOf } from '../operations/operation.ts'
import { type Commands, type Group, list, request } from './commands.ts'
import { aboutOperation, fixedInputs, inputsOf, typedFields } from './field-inputs.ts'
import { type Given, type Input, type Inputs, someOf, type Values } from './inputs.ts'
import { type Printed, printSections } from './print-table.ts'
import { columnsOfRows, forms, printRow } from './show-rows.ts'

/** The body as the service takes it: values under their names, those of a group within it. */
const bodyOf = (fields: readonly Field[], given: Values): object => {
  const values = fields.map(({ name, kind, isRequired, fields: inner = [] }) => {
    const names = Object.fromEntries(inner.map((each) => [each.name, true]))
    if (kind !== 'group') return [name, given[name]]
    return [name, someOf(given as Given<Inputs>, names as never) ?? (isRequired ? {} : undefined)]
  })
  return Object.fromEntries(values)
}

type Operation = Operations[string]

/** The request part of a command. */
const askOf = (operation: Operation, command: Command, kind: NamedKind | undefined, id: Input<string> | undefined) => {
  const ofBody = fieldsOf(operation.body)
  const fields = typedFields(operation, command, kind)
  const { about = aboutOperation(operation, fields), fails, patient } = command
  const ownId = id && fields.some(({ name }) => name === 'id') && { id }
  const inputs: Inputs = { ...inputsOf(fields), ...ownId, ...fixedInputs(command) }
  return {
    description: about,
    inputs,
    ...(ofBody.some((field) => field.kind === 'group') && { body: (given: Values) => bodyOf(ofBody, given) }),
    ...(fails && { failed: fails }),
    ...(patient && { patient }),
  }
}

/** The rows of an answer that is a list: of what it exports or, without an export, what a command shows in columns. */
const rowsOf = (operation: Operation, { columns }: Command): Field | undefined => {
  const exported = rowsNameOf(operation)
  if (columns === undefined && exported === undefined) return undefined
  return fieldsOf(operation.answer).find(({ name, kind }) =>
    exported === undefined ? kind === 'rows' : name === exported,
  )
}

type Ask = ReturnType<typeof askOf>

const textOf = (text: Command['says'] | Command['note'], said: never): string | undefined =>
  typeof text === 'function' ? text(said, forms) : text

/** A header without its mark; see `Columns`. */
const unmarked = (header: string): string => header.replace(/[>~#%]$/, '')

const listOf = (operation: Operation, command: Command, ask: Ask, { name, fields = [] }: Field): Commands[string] => {
  const { columns, empty, note } = command
  const others = shownAlone(fields).flatMap((each) =>
    columns?.includes(each.name as never) === false ? each.name : [],
  )
  const shown = columnsOfRows(fields, columns)
  // A column of several fields may have the heading of one of them.
  const headings = new Set(Object.keys(shown).map(unmarked))
  const isShown = (header: string): boolean => headings.has(unmarked(header))
  return list(operation.request, {
    ...ask,
    rows: (said: Readonly<Record<string, never>>): never[] => said[name] ?? [],
    ...(empty && { empty }),
    notes: (said: never) => textOf(note, said),
    columns: shown,
    onlyThen: Object.fromEntries(Object.entries(columnsOfRows(fields, others)).filter(([header]) => !isShown(header))),
    ...(operation.exports === undefined && { csvOf: null }),
  })
}

/** One command of an operation. */
const commandOf = (operation: Operation, command: Command, ask: Ask): Commands[string] => {
  const rows = rowsOf(operation, command)
  if (rows !== undefined) return listOf(operation, command, ask, rows)
  const shape = Object.values(operation.answers ?? {})[0] ?? operation.answer ?? {}
  const print = (said: never): Printed =>
    printSections(textOf(command.says, said) ?? printRow(shape, said), textOf(command.note, said))
  return request(operation.request, { ...ask, print })
}

/**
 * The commands of a noun: those that its operations declare, and `own` ones, which may replace them. `id` reads what the
 * service does not know by name.
 */
export const nounCommands = (noun: Noun<object>, own: Commands = {}, id?: Input<string>): Group => {
  const { about, kind, examples, usual } = noun
  const commands = Object.entries(noun.operations as Operations).flatMap(([verb, operation]) => {
    const declared = { ...(operation.command && { [verb]: operation.command }), ...operation.commands }
    return Object.entries(declared).map(([name, command]) => [
      name,
      commandOf(operation, command, askOf(operation, command, kind, id)),
    ])
  })
  return {
    description: about,
    examples,
    ...(usual !== undefined && { usual }),
    commands: { ...(Object.fromEntries(commands) as Commands), ...own },
  }
}

import { meaningOf } from '../operations/meaning.ts'
import { isOptional } from '../operations/schema.ts'
import type { Command, Noun, Operations } from '../operations/operation.ts'
import { type Group, list, request } from './commands.ts'
import { argument, choice, flag, type Given, type Input, type Inputs, option, page, required } from './inputs.ts'
import { keyOf, merchant, ofMerchant, ofMode } from './named-inputs.ts'
import { exactNumber, span, time, words } from './read-arguments.ts'
import { type NamedKind, resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'
import { columnsOfRows, printRow } from './show-rows.ts'

type FieldSchema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

type Fields = Readonly<Record<string, FieldSchema>>

/** The fields of a declared part of a request: of a schema of an object, or the fields themselves. */
const fieldsOf = (shape: object | undefined): Fields => {
  if (shape === undefined || 'anyOf' in shape) return {}
  return ('properties' in shape ? shape.properties : shape) as Fields
}

/** A description of the API as a help text says it: `Exact amount. Default: all.` becomes `exact amount; default: all`. */
const asHelp = (description = ''): string =>
  description
    .replaceAll('`', '')
    .replace(/\.$/, '')
    .replaceAll('. ', '; ')
    .replace(/(?:^|; )[A-Z](?=[a-z])/g, (start) => start.toLowerCase())

/** How values of a field are typed: the word for one in the help, and what reads it. */
const typedAs = (name: string, { type, format }: FieldSchema): readonly [string, ((typed: string) => unknown)?] => {
  if (name.endsWith('Ms')) return ['span', span]
  if (format === 'date-time') return ['time', time]
  if (type === 'number') return ['amount', exactNumber]
  if (type === 'array') return [name, words]
  return ['text']
}

const hyphened = (name: string): string =>
  name.replace(/Ms$|Id$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const fieldInput = (
  name: string,
  schema: FieldSchema,
  { arguments: inOrder = [], options = {} }: Command,
): Input<unknown> => {
  const [word, parse] = typedAs(name, schema)
  const about = asHelp(schema.description)
  if (inOrder.includes(name)) return argument(`<${name}>`, schema.enum?.join(', ') ?? about, parse as never)
  const flagName = options[name] ?? `--${hyphened(name)}`
  if (schema.type === 'boolean') return flag(flagName, about)
  if (schema.enum && isOptional(schema)) return choice(`${flagName} <${name}>`, about, schema.enum)
  const declare = isOptional(schema) ? option : required
  return declare(`${flagName} <${meaningOf(schema).of ?? word}>`, about, parse as never)
}

/** The inputs of an operation's body or query; those of its pages come last. */
const fieldInputs = ({ cursor, limit: _, ...fields }: Fields, command: Command): Inputs => {
  const inputs = Object.entries(fields).map(([name, schema]): [string, Input<unknown>] => {
    if (name === 'merchantId') return [name, isOptional(schema) ? ofMerchant() : merchant]
    return [name, name === 'mode' ? ofMode : fieldInput(name, schema, command)]
  })
  return { ...Object.fromEntries(inputs), ...(cursor && page) }
}

/** The body of a request whose fields name things, within the merchant of the request if it has one, by their ids. */
const resolvingBody = (fields: Fields) => {
  const named = Object.entries(fields).flatMap(([name, schema]) => {
    const { of } = meaningOf(schema)
    return of === undefined ? [] : [[name, of] as const]
  })
  if (named.length === 0) return {}
  const body = async (given: Given<Inputs>, session: Session): Promise<object> => {
    const resolved = { ...(given as Record<string, string | undefined>) }
    for (const [name, kind] of named) {
      const typed = resolved[name]
      if (typed !== undefined)
        resolved[name] = await resolveId(session, kind as NamedKind, typed, { merchantId: resolved['merchantId'] })
    }
    return resolved
  }
  return { body }
}

/** The commands of a noun's operations that have one. */
export const nounCommands = (noun: Noun<object>): Group => {
  const { name, about, named, row, columns, empty, examples } = noun
  const commands = Object.entries(noun.operations as Operations).flatMap(([verb, declared]) => {
    const { request: wanted, params, query, body, exports, command } = declared
    if (command === undefined) return []
    const description = command.about ?? `${declared.summary}.`
    const fields = { ...fieldsOf(query), ...fieldsOf(body) }
    const key = 'id' in fieldsOf(params) ? keyOf(name as NamedKind, named) : {}
    const inputs = { ...key, ...fieldInputs(fields, command) }
    if (typeof exports !== 'string') {
      const print = (answer: Readonly<Record<string, unknown>>) => printRow(row, answer)
      return [[verb, request(wanted, { description, inputs, print, ...resolvingBody(fields) })]]
    }
    const rows = (answer: Readonly<Record<string, never>>): never[] => answer[exports] ?? []
    return [[verb, list(wanted, { description, inputs, rows, empty, columns: columnsOfRows(row, columns) })]]
  })
  return { description: about, examples, commands: Object.fromEntries(commands) }
}

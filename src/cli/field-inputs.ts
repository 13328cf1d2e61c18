import { type Field, type FieldKind, fieldsOf } from '../operations/field.ts'
import { aboutIds, howToName, namedThings, type NamedKind } from '../operations/named.ts'
import type { Command, Typed } from '../operations/operation.ts'
import { always, argument, choice, flag, type Input, type Inputs, option } from './inputs.ts'
import { page, required, resolvedBy, several } from './inputs.ts'
import {
  idArgument,
  idArgumentOfMerchant,
  idOption,
  keyOf,
  keyOption,
  requiredId,
  resolvedIds,
  resolvedKeys,
  timeOrAgo,
} from './named-inputs.ts'
import {
  exactBalance,
  exactNumber,
  hours,
  hoursInZone,
  orNone,
  phone,
  quoteMicro,
  percent,
  readDocument,
  readTyped,
  span,
  time,
  timeOrSpan,
  wholeNumber,
  words,
  yesOrNo,
} from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'

type Read = (typed: string) => unknown

/** The word for a value in the help, and what reads it. */
const kinds: Readonly<Record<FieldKind, readonly [word: string, read?: Read]>> = {
  account: ['requisite'],
  accounts: ['requisites'],
  counts: ['text'],
  deadline: ['time', timeOrSpan],
  document: ['path'],
  evidence: ['text'],
  flag: ['yes'],
  group: ['text'],
  hours: ['hours', hoursInZone],
  id: ['id'],
  ids: ['ids', words],
  'ledger-account': ['account'],
  minutes: ['hours', hours],
  number: ['amount', exactNumber],
  percent: ['percent', percent],
  phone: ['number', phone],
  quote: ['usdt', quoteMicro],
  person: ['name'],
  rows: ['text'],
  secret: ['text'],
  span: ['span', span],
  switch: ['yes|no', yesOrNo],
  text: ['text'],
  time: ['time', time],
  whole: ['number', wholeNumber],
  word: ['code'],
  words: ['a,b', words],
}

const hyphened = (name: string): string =>
  name.replace(/(Ms|Id|Ppm|Minor|Micro)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** What the API says in words that a terminal understands: options, and values as they are typed. */
const inWords = (said: string, options: Readonly<Record<string, string>> = {}): string =>
  said
    .replaceAll('`null`', 'none')
    .replaceAll(/`(\w+)=(\w+)`/g, (_, name: string, value: string) => `${options[name] ?? name} ${value}`)
    .replaceAll(/`([^`]*)`/g, (_, code: string) => options[code] ?? code)
    .replaceAll('mitted fields', 'mitted options')
    // People type percent, USDT, hours and spans.
    .replaceAll(/, in (millionths|milliseconds|minutes)( of [^,;.]+)?/g, '')

/** What a command does: the summary of its operation, and the first sentence of the description. */
export const aboutOperation = (
  { summary, description = '' }: { readonly summary: string; readonly description?: string },
  options: Readonly<Record<string, string>>,
): string => {
  const [first = ''] = description.split(/(?<=\.) /)
  // Only the API needs the names in a bracket that has nothing else.
  return inWords(`${summary}. ${first.replaceAll(/ \((`[^`]*`[, ]*)+\)/g, '')}`, options).trimEnd()
}

/** A description of the API as help texts are written: it begins small, and has no full stop. */
const asHelp = (description: string, options: Readonly<Record<string, string>> = {}): string =>
  inWords(description, options)
    .replace(/\.$/, '')
    .replace(/^[A-Z](?=[a-z-]*([ :;,]|$))/, (first) => first.toLowerCase())

type Resolve = (session: Session, typed: never) => Promise<unknown>

/** Values that need the service, a file or standard input. */
const resolves: Partial<Readonly<Record<FieldKind, Resolve>>> = {
  // A time, or a span from now.
  deadline: async (session, typed: unknown) =>
    typeof typed === 'number' ? new Date(Date.parse(await session.now()) + typed).toISOString() : typed,
  document: async ({ surroundings }, path: string) =>
    JSON.parse(await readDocument(surroundings, path, false)) as unknown,
  // `bank:Main account` names a requisite.
  'ledger-account': async (session, typed: string) =>
    typed.startsWith('bank:') ? `bank:${await resolveId(session, 'requisite', typed.slice('bank:'.length))}` : typed,
  secret: ({ surroundings }, typed: string) => readTyped(surroundings, typed),
}

/** A field as it is typed: as a positional argument, or after an option. */
type TypedField = Field & Typed & { readonly option: string; readonly isArgument: boolean }

/** The option of a field; several ids or keys are typed one by one: `transferIds` is `--transfer`. */
const optionOf = ({ name, kind, of }: Field): string => {
  const isSeveral = of !== undefined && (kind === 'ids' || kind === 'rows')
  return `--${isSeveral ? hyphened(name).replace(/(-ids|s)$/, '') : hyphened(name)}`
}

const toTyped = (field: Field, { arguments: inOrder = [], typed = {} }: Command): TypedField => ({
  ...field,
  option: optionOf(field),
  ...typed[field.name],
  isArgument: inOrder.includes(field.name),
})

/** The same with what the help says about it. */
const withHelp = (field: TypedField, options: Readonly<Record<string, string>>): TypedField => {
  // The generic description of ids does not help.
  const about = field.about ?? (field.description === aboutIds ? '' : asHelp(field.description, options))
  const nothing = field.isNullable ? 'none' : field.kind === 'words' ? field.absent : undefined
  return { ...field, description: nothing === undefined || about.includes(nothing) ? about : `${about}; or ${nothing}` }
}

const readerOf = ({ kind, absent, isNullable, mayBeNegative }: Field): Read | undefined => {
  const usual = kind === 'number' && mayBeNegative ? exactBalance : kinds[kind][1]
  const read = kind === 'words' ? (typed: string) => (typed === absent ? [] : words(typed)) : usual
  return isNullable ? orNone(read ?? String) : read
}

/** What reads the fields of a schema as they are typed, under their names. */
export const readersOfFields = (schema: object): Readonly<Record<string, Read>> =>
  Object.fromEntries(fieldsOf(schema).map((field) => [field.name, readerOf(field) ?? String]))

/** The input of a field that is typed as one text. */
const textInput = (field: TypedField): Input<unknown> => {
  const { name, kind, choices, description, isRequired } = field
  const [word] = kinds[kind]
  const read = readerOf(field) as never
  if (field.isArgument) return argument(`<${hyphened(name)}>`, description, read, choices)
  const flags = `${field.option} <${choices === undefined ? word : hyphened(name).split('-').at(-1)}>`
  if (choices !== undefined) return choice(flags, description, choices, isRequired)
  return (isRequired ? required : option)(flags, description, read)
}

/** The input of a field with the id of something, which people name. */
const idInput = (of: NamedKind, field: TypedField): Input<unknown> => {
  const { name, kind, description, option: typedAs, isArgument, isRequired, isNullable } = field
  const about = [howToName(of), description].filter(Boolean).join(': ')
  if (isNullable) {
    const text = textInput({ ...field, description: about, isNullable: false }) as Input<string | undefined>
    return resolvedBy(text, async (session, typed) => {
      if (typed === undefined) return undefined
      return typed === 'none' ? null : resolveId(session, of, typed)
    })
  }
  if (isArgument || (name === 'merchantId' && isRequired)) return idArgument(of)
  if (kind === 'ids' || kind === 'rows') {
    const oneByOne = (isRequired ? required : option)(`${typedAs} <${of}>`, `${about}; repeat for more`, several)
    return (kind === 'ids' ? resolvedIds : resolvedKeys)(oneByOne as never, of)
  }
  return (isRequired ? requiredId : idOption)(`${typedAs} <${of}>`, about, of)
}

const inputOf = (field: TypedField, isQuery: boolean): Input<unknown> => {
  const { kind, of, choices, description } = field
  if (of !== undefined) return idInput(of, field)
  if (kind === 'flag') return flag(field.option, description)
  if (choices?.[0] === 'true') return flag(field.option, description, 'true')
  if (isQuery && kind === 'time') return timeOrAgo(`${field.option} <time>`, description)
  const about = kind === 'deadline' ? `a time, or a span such as 24h: ${description}` : description
  const input = textInput({ ...field, description: about })
  const resolve = resolves[kind]
  if (resolve === undefined) return input
  // `none` is no text: it is sent as it is.
  return resolvedBy(input, async (session, typed) =>
    typed === undefined || typeof typed === 'object' ? typed : resolve(session, typed as never),
  )
}

/** The inputs of a field: one, or two if naming a thing names its owner, too. */
const fieldInputs = (field: TypedField, isQuery: boolean): Inputs => {
  const { name, of, owner, option: typedAs, description } = field
  if (of === undefined || owner === undefined) return { [name]: inputOf(field, isQuery) }
  const about = `${howToName(of)}: ${description}`
  return keyOption(`${typedAs} <${of}>`, about, { kind: of, ownerName: owner, idName: name })
}

const optionsOf = (fields: readonly TypedField[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ name, option: typedAs }) => [name, typedAs]))

/** The options of the fields of requests, under their names. */
export const optionsOfFields = (fields: readonly Field[], command: Command): Readonly<Record<string, string>> =>
  optionsOf(fields.map((field) => toTyped(field, command)))

/** The inputs of a body or query: arguments first, options of pages last; the fields of a group are inputs themselves. */
export const inputsOf = (fields: readonly Field[], command: Command, isQuery: boolean): Inputs => {
  const { arguments: inOrder = [], fixed = {}, only } = command
  const first = ['merchantId', ...inOrder]
  const position = ({ name }: Field): number => (first.includes(name) ? first.indexOf(name) : first.length)
  const owners = new Set(fields.map(({ owner }) => owner))
  const typed = fields
    .filter(({ name }) => !(name in page) && !owners.has(name) && !(name in fixed) && (only?.includes(name) ?? true))
    .flatMap((field) => (field.kind === 'group' ? (field.fields ?? []) : [field]))
    .toSorted((a, b) => position(a) - position(b))
    .map((field) => toTyped(field, command))
  const options = optionsOf(typed)
  return {
    ...Object.fromEntries(typed.flatMap((field) => Object.entries(fieldInputs(withHelp(field, options), isQuery)))),
    ...Object.fromEntries(fields.flatMap(({ name }) => (name in fixed ? [[name, always(fixed[name])]] : []))),
    ...Object.fromEntries(Object.entries(page).filter(([name]) => fields.some((field) => field.name === name))),
  }
}

/** The same for a command that is written by hand, of the fields of a schema. */
export const inputsOfFields = <Fields extends object>(schema: { readonly properties: Fields }, command: Command = {}) =>
  inputsOf(fieldsOf(schema), command, false) as { readonly [Name in keyof Fields]: Input<unknown> }

/** Inputs for the values in a path: one argument for a thing and its owner, otherwise one each. */
export const keyInputs = (params: object | undefined, kind: NamedKind | undefined, ownId?: Input<string>): Inputs => {
  const fields = fieldsOf(params).map((each) => (each.name === 'id' && kind ? { of: kind, ...each } : each))
  const thing = fields.find(({ of }) => of !== undefined && namedThings[of].of !== undefined)
  const owner = fields.find((each) => each !== thing && each.of !== undefined)
  const key = thing?.of !== undefined && owner !== undefined ? keyOf(thing.of, owner.name, thing.name) : {}
  const inputOfKey = ({ name, of, description, choices }: Field): Input<unknown> => {
    if (of === undefined) return argument(`<${hyphened(name)}>`, asHelp(description), undefined, choices)
    return namedThings[of].of === 'merchant' ? idArgumentOfMerchant(of) : idArgument(of)
  }
  const others = fields.filter(({ name }) => !(name in key))
  return {
    ...key,
    ...Object.fromEntries(others.map((each) => [each.name, inputOfKey(each)])),
    ...(ownId !== undefined && fields.some(({ name }) => name === 'id') && { id: ownId }),
  }
}

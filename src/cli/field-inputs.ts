import { type Field, fieldsOf } from '../operations/field.ts'
import { aboutIds, howToName, namedThings } from '../operations/named.ts'
import type { Command, Operations, Request } from '../operations/operation.ts'
import { idOf } from '../operations/fields.ts'
import { presented } from '../operations/schema.ts'
import { kinds } from './field-kinds.ts'
import {
  argument,
  choice,
  flag,
  type Input,
  type Inputs,
  onlyGiven,
  option,
  required,
  resolved,
  several,
  type Values,
} from './inputs.ts'
import { idArgument, keyOf, keyOption, resolvedId, resolvedKeys, timeOrAgo } from './named-inputs.ts'
import { nothing, words } from './read-arguments.ts'

/** A field as it is typed: as a positional argument, or after an option. */
export type TypedField = Sent & { readonly option: string; readonly isArgument: boolean }

/**
 * A field and where it goes: in a `change`, omitted fields do not change. The fields of a group, and of the item of a
 * list, are typed one by one.
 */
type Sent = Field & { readonly within: 'path' | 'query' | 'body' | 'change' | 'group' | 'item' }

const sentIn =
  (within: Sent['within']) =>
  (field: Field): Sent => ({ ...field, within })

const hyphened = (name: string): string =>
  name.replace(/(Ms|Id|Ppm|Minor|Micro)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The option of a field; several things are typed one by one: `transferIds` is `--transfer`. */
const optionOf = ({ name, isSeveral, of }: Field): string =>
  `--${isSeveral && of !== undefined ? hyphened(name).replace(/(-ids|s)$/, '') : hyphened(name)}`

/** Names the merchant of payments that are named within a request which is about no merchant. */
const ofPayments = fieldsOf({
  'merchantId?': presented(idOf('merchant'), 'Of the payments, if several have such an order.'),
})

const withMerchant = (fields: readonly Field[]): readonly Field[] =>
  fields.some(({ kind, of }) => kind === 'rows' && of && namedThings[of].of === 'merchant') &&
  fields.every(({ name }) => name !== 'merchantId')
    ? [...ofPayments, ...fields]
    : fields

/** The fields of a path, or of an item, one by one. A thing is named with its owner, if both are there. */
export const keyed = (fields: readonly Field[] = []): readonly Field[] => {
  const isOwned = ({ of, kind }: Field): boolean =>
    kind === 'id' && of !== undefined && namedThings[of].of !== undefined
  const owner = fields.find((each) => each.kind === 'id' && each.of !== undefined && !isOwned(each))
  return withMerchant(fields)
    .flatMap((each) => (each.kind === 'group' ? (each.fields ?? []) : [each]))
    .map((each) => (owner && isOwned(each) ? { ...each, owner: owner.name } : each))
}

type Shapes = { readonly request?: Request; readonly params?: object; readonly query?: object; readonly body?: object }

/** The options of pages, which every list has, come last. */
const ofPages = ['limit', 'cursor']

/** The fields of a request that a command lets people type, in the order of its help. */
export const typedFields = ({ request, params, query, body }: Shapes, command: Command): TypedField[] => {
  const { arguments: inOrder = [], fixed = {}, only, options = {}, list } = command
  const ofBody = withMerchant(fieldsOf(body)).filter(({ name }) => name !== list)
  const ofItem = keyed(fieldsOf(body).find(({ name }) => name === list)?.fields)
  const sent = [
    ...keyed(fieldsOf(params)).map(sentIn('path')),
    ...fieldsOf(query).map(sentIn('query')),
    ...ofItem.filter(({ name }) => ofBody.every((each) => each.name !== name)).map(sentIn('item')),
    ...ofBody.map(sentIn(request?.startsWith('PATCH') ? 'change' : 'body')),
  ]
  const first = ['merchantId', ...inOrder]
  const isKey = ({ within, owner }: Sent): boolean => within === 'path' || (within === 'item' && owner !== undefined)
  const position = (field: Sent): number => {
    const { name } = field
    if (isKey(field)) return -1
    const isOfPages = ofPages.includes(name)
    return first.includes(name) ? first.indexOf(name) : first.length + (isOfPages ? 1 + ofPages.indexOf(name) : 0)
  }
  const owners = new Set(sent.map(({ owner }) => owner))
  return sent
    .filter(({ name, within }) => {
      if (within === 'path' || ofPages.includes(name)) return true
      return !(name in fixed) && only?.includes(name) !== false
    })
    .filter(({ name }) => !owners.has(name))
    .flatMap((each) => (each.kind === 'group' ? (each.fields ?? []).map(sentIn('group')) : [each]))
    .map((each) => ({
      ...each,
      option: options[each.name] ?? optionOf(each),
      isArgument: isKey(each) || inOrder.includes(each.name) || (each.name === 'merchantId' && each.isRequired),
    }))
    .toSorted((a, b) => position(a) - position(b))
}

/** What the API says, in words that a terminal understands: options, and values as they are typed. */
const inWords = (said: string, fields: readonly TypedField[]): string => {
  const worded = (name: string): string => fields.find((each) => each.name === name)?.option ?? name
  return (
    said
      .replaceAll('`null`', 'none')
      // Only the API needs the names in a bracket that has nothing else.
      .replaceAll(/ \(`[^`]*[A-Z._/][^`]*`([, ]+`[^`]*`)*\)/g, '')
      .replaceAll(/`(\w+)=(\w+)`/g, (_, name: string, value: string) => `${worded(name)} ${value}`)
      .replaceAll(/`([^`]*)`/g, (_, code: string) => worded(code))
      .replaceAll('mitted fields', 'mitted options')
  )
}

/** How the API counts what people type as percent, USDT, hours and spans. */
const unit = /, in (millionths|milliseconds|minutes)( of [^,;.]+)?/

/** What a command does: the summary of its operation, and the first sentence of the description. */
export const aboutOperation = (
  { summary, description = '' }: Operations[string],
  fields: readonly TypedField[],
): string => inWords(`${summary}. ${description.split(/(?<=\.) /)[0]}`, fields).trimEnd()

/** What the help says about a field: it begins small and has no full stop. */
const aboutField = (field: TypedField, fields: readonly TypedField[]): string => {
  const { of, kind, isSeveral, isNullable, isArgument, absent, choices, within, description } = field
  const { hint = '', print = String } = kinds[kind]
  // The generic description of ids does not help.
  const said = inWords(description === aboutIds ? '' : description, fields)
    .replace(unit, hint)
    .replace(/\.$/, '')
    .replace(/^true: ([^;]+).*/, '$1')
    .replaceAll('. Default:', '; default:')
    .replace(/(?<=default: )\d+$/, (value) => String(print(Number(value) as never)))
    .replace(/; empty for [^;.]+/, '')
    .replace(/^[A-Z](?=[a-z-]*([ :;,']|$))/, (letter) => letter.toLowerCase())
  const severally = `; separated by commas${choices ? ` (choices: ${choices.join(', ')})` : ''}`
  const how = isSeveral ? (of ? '; repeat for more' : severally) : within === 'query' || said.includes(hint) ? '' : hint
  const about = [of && howToName(of), said].filter(Boolean).join(': ') + (isArgument && of ? '' : how)
  const none = isNullable ? 'none' : isSeveral && !of ? absent : undefined
  return none === undefined || about.includes(none) ? about : `${about}; or ${none}`
}

/** The value of a field that was typed. */
export const readField = (field: Field, typed: string): unknown => {
  const { kind, isSeveral, isNullable, absent } = field
  if (isNullable && typed === 'none') return nothing
  if (isSeveral) return typed === absent ? [] : words(typed)
  return (kinds[kind].read ?? String)(typed, field)
}

/** The body as the service takes it: values under their names, those of a group within it, and one item of a list. */
export const bodyOf = (fields: readonly Field[] = [], given: Values, list?: string): Record<string, unknown> => {
  const values = fields.map(({ name, kind, isRequired, fields: inner }) => {
    if (name === list) return [name, [bodyOf(inner, given)]]
    if (kind !== 'group') return [name, given[name]]
    const own = onlyGiven(bodyOf(inner, given))
    return [name, isRequired || Object.keys(own).length > 0 ? own : undefined]
  })
  return Object.fromEntries(values) as Record<string, unknown>
}

/** The inputs of a field: one, or two if naming a thing names its owner, too. */
const inputsOfField = (field: TypedField, about: string): Inputs => {
  const { name, kind, of, owner, choices, isArgument, isRequired, isSeveral, isNullable, within } = field
  const last = hyphened(name).split('-').at(-1) ?? ''
  const own = last.length > 2 ? last : isSeveral ? 'a,b' : 'text'
  const word = of ?? (choices ? own : (kinds[kind].word ?? own))
  const flags = isArgument ? `<${hyphened(name)}${isSeveral ? '...' : ''}>` : `${field.option} <${word}>`
  if (of !== undefined && owner !== undefined)
    return isArgument ? keyOf(of, owner, name) : keyOption(option(flags, about), of, owner, name)
  if (of !== undefined && isArgument && !isNullable && !isSeveral) return { [name]: idArgument(of) }
  if (choices?.[0] === 'true' || choices?.length === 1) return { [name]: flag(field.option, about, choices[0]) }
  if (kind === 'flag' && within !== 'group' && within !== 'change') return { [name]: flag(field.option, about) }
  if (kind === 'time' && within === 'query') return { [name]: timeOrAgo(flags, about) }
  // An address has the digits as text.
  const readOne = (text: string): unknown => {
    const value = readField(field, text)
    return within === 'query' && typeof value === 'object' ? text : value
  }
  const read = (of && isSeveral ? several : readOne) as never
  const typed = isArgument
    ? argument(flags, about, read, choices)
    : choices && !isSeveral
      ? choice(flags, about, choices, isRequired && within !== 'item')
      : (isRequired && within !== 'item' ? required : option)(flags, about, read)
  const input = typed as Input<never>
  if (of !== undefined) return { [name]: kind === 'rows' ? resolvedKeys(input, field) : resolvedId(input, of) }
  const { resolve } = kinds[kind]
  return { [name]: resolve === undefined ? input : resolved(input, resolve as never) }
}

/** The inputs of fields. */
export const inputsOf = (fields: readonly TypedField[]): Inputs =>
  Object.assign({}, ...fields.map((field) => inputsOfField(field, aboutField(field, fields)))) as Inputs

import type { Content, Schema } from './openapi-document.ts'

/** A field of a body, for a row of a table. */
export type Field = {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly about: string
}

type Resolve = <T extends { readonly $ref?: string }>(given: T) => T

const deepest = 6

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** A schema merged with those of its `allOf`: the properties of all; of other members, the last one given. */
const flatten = (given: Schema, resolve: Resolve): Schema => {
  const schema = resolve(given)
  const parts = (schema.allOf ?? []).map((part) => flatten(part, resolve))
  if (parts.length === 0) return schema
  const { allOf: _, ...own } = schema
  const all: readonly Schema[] = [...parts, own]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required = [] }) => required),
  }
}

/** The alternatives of a schema that are not `null`. */
const alternativesOf = (schema: Schema, resolve: Resolve): readonly Schema[] =>
  (schema.oneOf ?? schema.anyOf ?? []).map((each) => flatten(each, resolve)).filter(({ type }) => type !== 'null')

const isObject = (schema: Schema): boolean =>
  schema.properties !== undefined && Object.keys(schema.properties).length > 0

const typeNames = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

const typeOf = (schema: Schema, resolve: Resolve): string => {
  const alternatives = alternativesOf(schema, resolve).filter(
    (each) => each.type !== undefined || each.const !== undefined,
  )
  if (typeNames(schema).length === 0 && alternatives.length > 0)
    return [...new Set(alternatives.map((each) => typeOf(each, resolve)))].join(' or ')
  if (schema.items) return `array of ${typeOf(flatten(schema.items, resolve), resolve)}s`
  const names = typeNames(schema).filter((name) => name !== 'null')
  const known = names.length > 0 ? names.join(' or ') : schema.properties ? 'object' : 'any'
  const formats: Readonly<Record<string, string>> = { uuid: 'UUID', 'date-time': 'time', uri: 'URL', binary: 'file' }
  return formats[schema.format ?? ''] ?? known
}

const wordsOf = (schema: Schema, resolve: Resolve): readonly unknown[] => {
  if (schema.enum) return schema.enum
  if (schema.const !== undefined) return [schema.const]
  const all = alternativesOf(schema, resolve)
  return all.length > 0 && all.every((each) => each.const !== undefined || each.enum)
    ? all.flatMap((each) => wordsOf(each, resolve))
    : []
}

const boundsOf = ({ minimum, maximum, minLength, maxLength, maxItems }: Schema): readonly string[] => [
  ...(minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
    ? [`${minimum} to ${maximum}.`]
    : minimum !== undefined
      ? [`At least ${minimum}.`]
      : []),
  ...(maxLength !== undefined && maxLength !== 36
    ? [minLength ? `${minLength} to ${maxLength} characters.` : `At most ${maxLength} characters.`]
    : []),
  ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
]

const aboutOf = (schema: Schema, resolve: Resolve): string => {
  const items = schema.items && flatten(schema.items, resolve)
  const words = wordsOf(items ?? schema, resolve).filter((word) => word !== null)
  const example = schema.examples?.[0] ?? schema.example
  return [
    schema.description ?? items?.description ?? '',
    words.length > 0 ? `${words.map(code).join(', ')}.` : '',
    ...boundsOf(schema),
    schema.default === undefined ? '' : `Default: ${code(schema.default)}.`,
    words.length === 0 && example !== undefined && typeof example !== 'object' ? `Example: ${code(example)}.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const fieldsWithin = (given: Schema, resolve: Resolve, prefix: string, depth: number): readonly Field[] => {
  const schema = flatten(given, resolve)
  if (depth > deepest) return []
  if (schema.items) return fieldsWithin(schema.items, resolve, `${prefix}[]`, depth + 1)
  const alternatives = alternativesOf(schema, resolve).filter(isObject)
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]): readonly Field[] => {
    const field = flatten(each, resolve)
    const path = prefix === '' ? name : `${prefix}.${name}`
    const required = schema.required?.includes(name) ?? false
    const row = { name: path, type: typeOf(field, resolve), required, about: aboutOf(field, resolve) }
    return [row, ...fieldsWithin(field, resolve, path, depth + 1)]
  })
  const others = alternatives.flatMap((each) => fieldsWithin(each, resolve, prefix, depth + 1))
  const known = new Set(own.map(({ name }) => name))
  return [...own, ...others.filter(({ name }) => !known.has(name) && known.add(name))]
}

/** All fields of a schema, nested ones by their path: `payments[].id`. */
export const describeFields = (schema: Schema, resolve: Resolve): readonly Field[] =>
  fieldsWithin(schema, resolve, '', 0)

/** A schema in a few words: its type, meaning, values and bounds. */
export const describeValue = (given: Schema, resolve: Resolve): Pick<Field, 'type' | 'about'> => {
  const schema = flatten(given, resolve)
  return { type: typeOf(schema, resolve), about: aboutOf(schema, resolve) }
}

const byFormat: Readonly<Record<string, unknown>> = {
  uuid: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  'date-time': '2026-01-31T12:30:00.000Z',
  date: '2026-01-31',
  uri: 'https://shop.example.com/payin',
}
const byType: Readonly<Record<string, unknown>> = { string: '…', number: 1, integer: 1, boolean: true, object: {} }

const exampleWithin = (given: Schema, resolve: Resolve, depth: number, whole: boolean): unknown => {
  const schema = flatten(given, resolve)
  const own = schema.example ?? schema.examples?.[0] ?? schema.default
  if (own !== undefined) return own
  const [word] = wordsOf(schema, resolve)
  if (word !== undefined) return word
  if (schema.items) return depth > deepest ? [] : [exampleWithin(schema.items, resolve, depth + 1, whole)]
  if (isObject(schema)) {
    if (depth > deepest) return {}
    const all = Object.entries(schema.properties ?? {})
    const wanted = all.filter(([name]) => whole || schema.required?.includes(name))
    const fields = wanted.length === 0 ? all.slice(0, schema.minProperties ?? 0) : wanted
    return Object.fromEntries(fields.map(([name, each]) => [name, exampleWithin(each, resolve, depth + 1, whole)]))
  }
  const [first] = alternativesOf(schema, resolve)
  if (first && typeNames(schema).length === 0) return exampleWithin(first, resolve, depth + 1, whole)
  return byFormat[schema.format ?? ''] ?? byType[typeNames(schema).find((name) => name !== 'null') ?? ''] ?? null
}

/**
 * An example of a JSON body: the document's own, or one made from its schema, with the required fields only unless
 * `whole`.
 */
export const exampleOf = (content: Content | undefined, resolve: Resolve, whole: boolean): unknown => {
  const json = content?.['application/json']
  if (!json) return undefined
  const [named] = Object.values(json.examples ?? {})
  const given = json.example ?? named?.value
  if (given !== undefined) return given
  return json.schema && exampleWithin(json.schema, resolve, 0, whole)
}

import type { Content, Schema } from './openapi-document.ts'

/** A field of a body, for a row of a table. */
export type Field = {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly about: string
}

type Resolve = <T extends { readonly $ref?: string }>(given: T) => T

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** The alternatives of a schema that are not `null`. */
const alternativesOf = (schema: Schema, resolve: Resolve): readonly Schema[] =>
  (schema.anyOf ?? []).map((each) => resolve(each)).filter(({ type }) => type !== 'null')

const typeNames = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

const typeOf = (schema: Schema, resolve: Resolve): string => {
  const alternatives = alternativesOf(schema, resolve)
  if (alternatives.length > 0) return [...new Set(alternatives.map((each) => typeOf(each, resolve)))].join(' or ')
  if (schema.items) return `array of ${typeOf(resolve(schema.items), resolve)}s`
  const known = typeNames(schema)
    .filter((name) => name !== 'null')
    .join(' or ')
  const formats: Readonly<Record<string, string>> = { uuid: 'UUID', 'date-time': 'time', uri: 'URL' }
  return formats[schema.format ?? ''] ?? known
}

const wordsOf = (schema: Schema, resolve: Resolve): readonly unknown[] => {
  return schema.enum ?? alternativesOf(schema, resolve).flatMap((each) => each.enum ?? [])
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
  const items = schema.items && resolve(schema.items)
  const words = wordsOf(items ?? schema, resolve)
  const example = schema.examples?.[0]
  return [
    schema.description ?? '',
    words.length > 0 ? `${words.map(code).join(', ')}.` : '',
    ...boundsOf(schema),
    words.length === 0 && example !== undefined && typeof example !== 'object' ? `Example: ${code(example)}.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** All fields of a schema, nested ones by their path: `payments[].id`. */
export const describeFields = (given: Schema, resolve: Resolve, prefix = ''): readonly Field[] => {
  const schema = resolve(given)
  if (schema.items) return describeFields(schema.items, resolve, `${prefix}[]`)
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]): readonly Field[] => {
    const field = resolve(each)
    const path = prefix === '' ? name : `${prefix}.${name}`
    const required = schema.required?.includes(name) ?? false
    const row = { name: path, type: typeOf(field, resolve), required, about: aboutOf(field, resolve) }
    return [row, ...describeFields(field, resolve, path)]
  })
  const known = new Set(own.map(({ name }) => name))
  const others = alternativesOf(schema, resolve).flatMap((each) => describeFields(each, resolve, prefix))
  return [...own, ...others.filter(({ name }) => !known.has(name) && known.add(name))]
}

/** A schema in a few words: its type, meaning, values and bounds. */
export const describeValue = (given: Schema, resolve: Resolve): Pick<Field, 'type' | 'about'> => {
  const schema = resolve(given)
  return { type: typeOf(schema, resolve), about: aboutOf(schema, resolve) }
}

const byFormat: Readonly<Record<string, unknown>> = {
  uuid: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  uri: 'https://shop.example.com/payin',
}
const byType: Readonly<Record<string, unknown>> = { string: '…', number: 1, integer: 1, boolean: true, object: {} }

const exampleWithin = (given: Schema, resolve: Resolve, whole: boolean): unknown => {
  const schema = resolve(given)
  const own = schema.examples?.[0] ?? wordsOf(schema, resolve)[0]
  if (own !== undefined) return own
  if (schema.items) return [exampleWithin(schema.items, resolve, whole)]
  if (schema.properties) {
    const all = Object.entries(schema.properties ?? {})
    const fields = all.filter(([name]) => whole || schema.required?.includes(name))
    return Object.fromEntries(fields.map(([name, each]) => [name, exampleWithin(each, resolve, whole)]))
  }
  const [first] = alternativesOf(schema, resolve)
  if (first) return exampleWithin(first, resolve, whole)
  return byFormat[schema.format ?? ''] ?? byType[typeNames(schema).find((name) => name !== 'null') ?? ''] ?? null
}

/** An example of a JSON body, made from its schema, with the required fields only unless `whole`. */
export const exampleOf = (content: Content | undefined, resolve: Resolve, whole: boolean): unknown => {
  const schema = content?.['application/json']?.schema
  return schema && exampleWithin(schema, resolve, whole)
}

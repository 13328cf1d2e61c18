import type { Schema } from './openapi-document.ts'

/** A field of a body, for a row of a table. */
export type Field = {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly about: string
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** The alternatives of a schema that are not `null`. */
const alternativesOf = ({ anyOf = [] }: Schema): readonly Schema[] => anyOf.filter(({ type }) => type !== 'null')

const typeNames = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

const formats: Readonly<Record<string, string>> = { uuid: 'UUID', 'date-time': 'time', uri: 'URL' }

const typeOf = (schema: Schema): string => {
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(' or ')
  if (schema.items) return `array of ${typeOf(schema.items)}s`
  const known = typeNames(schema).filter((name) => name !== 'null')
  return formats[schema.format ?? ''] ?? known.join(' or ')
}

const wordsOf = (schema: Schema): readonly unknown[] =>
  schema.enum ?? alternativesOf(schema).flatMap((each) => each.enum ?? [])

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

const aboutOf = (schema: Schema): string => {
  const words = wordsOf(schema.items ?? schema)
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

/** A schema in a few words: its type, meaning, values and bounds. */
export const describeValue = (schema: Schema): Pick<Field, 'type' | 'about'> => ({
  type: typeOf(schema),
  about: aboutOf(schema),
})

/** The fields of an object; one with any names has that of its example. */
const propertiesOf = ({ properties, patternProperties, examples = [] }: Schema): Readonly<Record<string, Schema>> => {
  const [values] = Object.values(patternProperties ?? {})
  const [name] = Object.keys(examples[0] ?? {})
  return properties ?? (values?.properties && name !== undefined ? { [name]: values } : {})
}

/** All fields of a schema, nested ones by their path: `payments[].id`. */
export const describeFields = (schema: Schema, prefix = ''): readonly Field[] => {
  if (schema.items) return describeFields(schema.items, `${prefix}[]`)
  const own = Object.entries(propertiesOf(schema)).flatMap(([name, field]): readonly Field[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const required = schema.required?.includes(name) ?? false
    return [{ name: path, required, ...describeValue(field) }, ...describeFields(field, path)]
  })
  const known = new Set(own.map(({ name }) => name))
  const others = alternativesOf(schema).flatMap((each) => describeFields(each, prefix))
  return [...own, ...others.filter(({ name }) => !known.has(name) && known.add(name))]
}

const byFormat: Readonly<Record<string, unknown>> = {
  uuid: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  uri: 'https://shop.example.com/payin',
}
const byType: Readonly<Record<string, unknown>> = { string: '…', number: 1, integer: 1, boolean: true, object: {} }

/** An example of a value, made from its schema, with the required fields only unless `whole`. */
export const exampleOf = (schema: Schema, whole: boolean): unknown => {
  const own = schema.examples?.[0] ?? wordsOf(schema)[0]
  if (own !== undefined) return own
  if (schema.items) return [exampleOf(schema.items, whole)]
  if (schema.properties) {
    const fields = Object.entries(schema.properties).filter(([name]) => whole || schema.required?.includes(name))
    return Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(each, whole)]))
  }
  const [first] = alternativesOf(schema)
  if (first) return exampleOf(first, whole)
  return byFormat[schema.format ?? ''] ?? byType[typeNames(schema).find((name) => name !== 'null') ?? ''] ?? null
}

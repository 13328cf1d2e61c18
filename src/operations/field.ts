import type { TProperties } from 'typebox'
import {
  describedAs,
  type FieldKind,
  isOptional,
  isSchema,
  byName,
  type Presentation,
  presentationOf,
  type Tone,
  isNull,
  type JsonSchema,
  orItself,
} from './schema.ts'

/** The tone of each word of a schema. */
export const tonesOf = (schema: object): Readonly<Record<string, Tone>> => presentationOf(schema).tones ?? {}

/** A field of a row or request, as people see it. */
export type Field = Presentation & {
  readonly name: string
  readonly kind: FieldKind
  /** Whether it has several such values. */
  readonly isSeveral: boolean
  readonly heading: string
  /** Whether its schema gives the heading. */
  readonly hasOwnHeading: boolean
  readonly description: string
  readonly isRequired: boolean
  /** Whether its value may be `null`. */
  readonly isNullable: boolean
  /** Whether no bound keeps a number from being negative. */
  readonly mayBeNegative: boolean
  /** Its possible words, or those of each of several values. */
  readonly choices?: readonly string[]
  /** The fields of a group, or of the items of rows. */
  readonly fields?: readonly Field[]
}

const kindOf = (schema: JsonSchema): FieldKind => {
  const { type, format, pattern, enum: choices, items } = schema
  const { kind } = presentationOf(schema)
  if (kind !== undefined) return kind
  if (items !== undefined) return kindOf(items) === 'group' ? 'rows' : kindOf(items)
  if (choices !== undefined) return 'word'
  if (format === 'date-time') return 'time'
  if (format === 'uuid') return 'id'
  const { type: number = type } = describedAs(pattern) ?? {}
  if (type === 'boolean') return 'flag'
  if (number === 'number') return 'number'
  if (number === 'integer') return 'whole'
  return type === 'object' ? 'group' : 'text'
}

/** `draftedBy` is `Drafted by`, `changedAt` is `Changed`, `merchantId` is `Merchant`, `windowMs` is `Window`. */
export const headingOf = (name: string): string => {
  const words = name
    .replace(/(?<=.)(At|Id|Ms|Ppm|Minor|Micro)$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

type FieldSchemas = Readonly<Record<string, JsonSchema>>

/** The field with the name of what an id or an account names. */
const nameOf = (name: string, siblings: FieldSchemas): string | undefined => {
  const named = `${name.replace(/(Id|Account)$/, '')}Name`
  return /(Id|Account|debit|credit)$/.test(name) && named in siblings ? named : undefined
}

/** What a field with this schema is to people. Numbers next to a currency, or in rows of one, are amounts in it. */
const readField = (name: string, schema: JsonSchema, siblings: FieldSchemas, isOfCurrency: boolean): Field => {
  const form = orItself(schema)
  const inner = form.properties ?? form.items?.properties
  const choices = form.enum ?? form.items?.enum
  const kind = kindOf(form)
  const shownAs = nameOf(name, siblings)
  return {
    ...{ name, kind, heading: headingOf(name) },
    ...(shownAs !== undefined && { shownAs }),
    ...(kind === 'number' && isOfCurrency && !/(price|rate)$/i.test(name) && { currency: 'currency' }),
    ...presentationOf(form),
    ...presentationOf(schema),
    hasOwnHeading: (presentationOf(schema).heading ?? presentationOf(form).heading) !== undefined,
    description: schema.description ?? form.description ?? '',
    isSeveral: form.items !== undefined && kind !== 'hours',
    isRequired: !isOptional(schema),
    isNullable: schema.anyOf?.some(isNull) ?? false,
    mayBeNegative: (form.minimum ?? form.exclusiveMinimum ?? -1) < 0,
    ...(choices && { choices }),
    ...(inner && { fields: readAll(inner, isOfCurrency) }),
  }
}

const readAll = (schemas: FieldSchemas, isWithinCurrency = false): readonly Field[] => {
  const isOfCurrency = isWithinCurrency || 'currency' in schemas
  return Object.entries(schemas).map(([name, schema]) => readField(name, schema, schemas, isOfCurrency))
}

/** The fields of a declared part of a request or response: a schema of an object, which may be `null`, or fields. */
export const fieldsOf = (shape: object | undefined): readonly Field[] => {
  if (shape === undefined) return []
  if (!isSchema(shape)) return readAll(byName(shape as TProperties))
  return readAll(orItself(shape).properties ?? {})
}

/** Fields that are not shown as part of another one, such as the currency of an amount or the name of a merchant. */
export const shownAlone = (fields: readonly Field[]): readonly Field[] => {
  const parts = new Set(fields.flatMap(({ currency, shownAs }) => [currency, shownAs]))
  const isNamed = ({ name, shownAs }: Field): boolean =>
    shownAs === undefined && fields.some((each) => `${each.name}Id` === name)
  return fields.filter((field) => !parts.has(field.name) && !isNamed(field))
}

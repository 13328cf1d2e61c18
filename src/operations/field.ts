import type { Static, TArray, TSchema } from 'typebox'
import type { NamedKind } from './named.ts'
import { describedAs, isOptional, isSchema, presentation } from './schema.ts'

/** What a word says: done, waiting, somebody must act, in progress, over. */
export type Tone = 'good' | 'wait' | 'bad' | 'live' | 'over'

/** What a value is to people, or each of several values; it decides how a value is shown and typed. */
export type FieldKind =
  /** How operators know a requisite. */
  | 'account'
  /** A number of bytes. */
  | 'bytes'
  /** A time until which something lasts; it may be typed as a span from now. */
  | 'deadline'
  /** Digits, which may be typed with spaces, hyphens, brackets or a plus. */
  | 'digits'
  /** JSON of a shape of its own, typed as the path of a file. */
  | 'document'
  /** What each criterion says for or against a payment. */
  | 'evidence'
  | 'flag'
  /** An object whose fields belong together. */
  | 'group'
  /** Hours of the day: minutes `from` and `to`, and their `zone`; or only the minutes. */
  | 'hours'
  | 'id'
  /** An account of the ledger; `bank:` may be followed by how operators know the requisite. */
  | 'ledger-account'
  /** Minor units of any currency, shown and typed as an amount with two decimals. */
  | 'minor'
  | 'number'
  /** Texts by their names. */
  | 'pairs'
  /** A phone number with its country code. */
  | 'phone'
  /** Who did something, such as `operator:anna`. */
  | 'person'
  /** Millionths, shown and typed as percent. */
  | 'percent'
  /** Millionths of USDT, shown and typed in USDT. */
  | 'quote'
  /** Several objects. */
  | 'rows'
  /** Must not end up in the history of a shell. */
  | 'secret'
  /** Milliseconds. */
  | 'span'
  | 'text'
  /** A span in milliseconds, or percent. */
  | 'threshold'
  | 'time'
  | 'whole'
  /** One of a few words, or a code. */
  | 'word'

/** How operators know a requisite: by its label, or by the others. */
export type AccountName = {
  readonly label?: string
  readonly method: string
  readonly bankIssuer: string
  readonly number: string
}

/** How a screen writes values. */
export type Forms = {
  readonly account: (requisite: AccountName | undefined, requisiteId?: string) => string | undefined
  readonly amount: (amount: number, currency: string) => string
  readonly person: (actor: string) => string
  readonly span: (ms: number) => string
  readonly time: (time: string | undefined) => string | undefined
}

/** What several fields say together. */
export type Summary<Row> = {
  readonly heading: string
  readonly show: (row: Row, forms: Forms) => string | number | undefined
  /** What it is like. Default: a text. */
  readonly kind?: FieldKind
}

/** What people see of a field, where its schema does not say it. */
export type Presentation = {
  readonly kind?: FieldKind
  /** The kind of thing that the id names, or each of several ids or keys. */
  readonly of?: NamedKind
  /** The field with the owner's id; filled in when the thing is named. */
  readonly owner?: string
  /** The field shown instead of this id. */
  readonly shownAs?: string
  /** The field with the currency of an amount. */
  readonly currency?: string
  /** Default: the name of the field in words. */
  readonly heading?: string
  /** Shown when there is no value. */
  readonly absent?: string
  /** The tone of each word. */
  readonly tones?: Readonly<Record<string, Tone>>
  /** Of rows: their columns, the most important first. Default: all fields. */
  readonly columns?: readonly (string | Summary<never>)[]
}

/** A schema with more about how people see its field. */
export const presented = <Schema extends TSchema>(schema: Schema, more: Presentation): Schema => ({
  ...schema,
  [presentation]: { ...presentationOf(schema), ...more },
})

/** Rows that people see in these columns, the most important first: fields by their names, or what several say. */
export const inColumns = <Row extends TSchema>(
  rows: TArray<Row>,
  columns: readonly (Extract<keyof Static<Row>, string> | Summary<Static<Row>>)[],
): TArray<Row> => presented(rows, { columns })

const presentationOf = (schema: object): Presentation =>
  (schema as { readonly [presentation]?: Presentation })[presentation] ?? {}

/** The tone of each word of a schema. */
export const tonesOf = (schema: object): Readonly<Record<string, Tone>> => presentationOf(schema).tones ?? {}

/** The parts of a JSON schema that say what a field is. */
type FieldSchema = {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly description?: string
  readonly items?: FieldSchema
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly anyOf?: readonly FieldSchema[]
}

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

const kindOf = (schema: FieldSchema): FieldKind => {
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
const headingOf = (name: string): string => {
  const words = name
    .replace(/(?<=.)(At|Id|Ms|Ppm|Minor|Micro)$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isNull = ({ type }: FieldSchema): boolean => type === 'null'

type FieldSchemas = Readonly<Record<string, FieldSchema>>

/** The field with the name of what an id or an account names. */
const nameOf = (name: string, siblings: FieldSchemas): string | undefined => {
  const named = `${name.replace(/(Id|Account)$/, '')}Name`
  return /(Id|Account|debit|credit)$/.test(name) && named in siblings ? named : undefined
}

/** What a field with this schema is to people. Numbers next to a currency, or in rows of one, are amounts in it. */
const readField = (name: string, schema: FieldSchema, siblings: FieldSchemas, isOfCurrency: boolean): Field => {
  const form = schema.anyOf?.find((each) => !isNull(each)) ?? schema
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
  if (!isSchema(shape)) return readAll(shape as FieldSchemas)
  const { anyOf, properties } = shape as FieldSchema
  return readAll(properties ?? anyOf?.find((each) => !isNull(each))?.properties ?? {})
}

/** Fields that are not shown as part of another one, such as the currency of an amount or the name of a merchant. */
export const shownAlone = (fields: readonly Field[]): readonly Field[] => {
  const parts = new Set(fields.flatMap(({ currency, shownAs }) => [currency, shownAs]))
  const isNamed = ({ name, shownAs }: Field): boolean =>
    shownAs === undefined && fields.some((each) => `${each.name}Id` === name)
  return fields.filter((field) => !parts.has(field.name) && !isNamed(field))
}

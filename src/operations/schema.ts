import type {
  Static,
  TArray,
  TArrayOptions,
  TBoolean,
  TInteger,
  TNull,
  TNumber,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TOptional,
  TProperties,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnion,
  TUnknown,
  TUnsafe,
} from 'typebox'
import { orderIdPattern } from '../rules/payments/order-id.ts'

/** The value that a schema describes. */
export type { Static } from 'typebox'

/** Options of a schema: its description alone, or more. */
const optionsOf = (about: string | object): object => (typeof about === 'string' ? { description: about } : about)

// Plain JSON schemas with the types of TypeBox, whose three hundred files would take each command and page a tenth of a
// second to load. Marks are symbols: copies keep them, and JSON does not have them.
const schemaMark = Symbol('schema')
const optionalMark = Symbol('optional')

/** The mark of what a schema does not say of its field; see `Presentation`. */
export const presentation = Symbol('presentation')

const marked = (schema: object): never => ({ ...schema, [schemaMark]: true }) as never

/** Whether a value is a schema, and not the fields of one. */
export const isSchema = (value: object): boolean => schemaMark in value

/** Whether a field with this schema may be absent. */
export const isOptional = (schema: object): boolean => optionalMark in schema

const makeOptional = <Schema extends TSchema>(schema: Schema): TOptional<Schema> =>
  ({ ...schema, [optionalMark]: true }) as never

const makeObject = <Fields extends TProperties>(properties: Fields, options: TObjectOptions = {}): TObject<Fields> => {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name] ?? {}))
  return marked({ type: 'object', ...(required.length > 0 && { required }), properties, ...options })
}

type AllOptional<Fields extends TProperties> = { [Name in keyof Fields]: TOptional<Fields[Name]> }

/** The forms of JSON Schema that the API uses. */
const forms = {
  String: (options: TStringOptions = {}): TString => marked({ type: 'string', ...options }),
  Number: (options: TNumberOptions = {}): TNumber => marked({ type: 'number', ...options }),
  Integer: (options: TNumberOptions = {}): TInteger => marked({ type: 'integer', ...options }),
  Boolean: (options: TSchemaOptions = {}): TBoolean => marked({ type: 'boolean', ...options }),
  Null: (options: TSchemaOptions = {}): TNull => marked({ type: 'null', ...options }),
  Unknown: (options: TSchemaOptions = {}): TUnknown => marked({ ...options }),
  Unsafe: <Value>(schema: object): TUnsafe<Value> => marked({ ...schema }),
  Object: makeObject,
  Array: <Schema extends TSchema>(items: Schema, options: TArrayOptions = {}): TArray<Schema> =>
    marked({ type: 'array', items, ...options }),
  Union: <Schemas extends TSchema[]>(anyOf: [...Schemas], options: TSchemaOptions = {}): TUnion<Schemas> =>
    marked({ anyOf, ...options }),
  /** An object with any names. */
  Record: <Schema extends TSchema>(
    _names: TString,
    values: Schema,
    options: TSchemaOptions = {},
  ): TUnsafe<Record<string, Static<Schema>>> =>
    marked({ type: 'object', patternProperties: { '^.*$': values }, ...options }),
  Partial: <Fields extends TProperties>(
    { properties }: TObject<Fields>,
    options: TObjectOptions = {},
  ): TObject<AllOptional<Fields>> => {
    const fields = Object.entries(properties).map(([name, schema]) => [name, makeOptional(schema)])
    return makeObject(Object.fromEntries(fields) as AllOptional<Fields>, options)
  },
}

/** Schema of a field that may be absent; `description` says what it means here. */
const Optional = <Schema extends TSchema>(schema: Schema, description?: string): TOptional<Schema> =>
  makeOptional(description === undefined ? schema : { ...schema, description })

/** Schema of a text in a response. */
const Text = (description: string, ...examples: readonly string[]) =>
  forms.String({ description, ...(examples.length > 0 && { examples }) })

/** Schema of a whole number in a response. */
const Whole = (description: string, ...examples: readonly number[]) =>
  forms.Integer({ description, ...(examples.length > 0 && { examples }) })

/** Schema of true or false. */
const Flag = (description: string) => forms.Boolean({ description })

/** Schema of an object that has no other fields than these. */
const Exact = <Fields extends TProperties>(fields: Fields, options: TObjectOptions = {}) =>
  forms.Object(fields, { additionalProperties: false, ...options })

/** Schema of an object that has a name of its own in the OpenAPI document. */
const Titled = <Fields extends TProperties>(title: string, fields: Fields) => forms.Object(fields, { title })

/** The same for a body, which has no other fields than these. */
const TitledExact = <Fields extends TProperties>(title: string, fields: Fields) => Exact(fields, { title })

/** Schema of an object that is part of a response. */
const Group = <Fields extends TProperties>(description: string, fields: Fields) => forms.Object(fields, { description })

/** Schema of a list of objects. */
const Rows = <Fields extends TProperties>(description: string, fields: Fields) =>
  forms.Array(forms.Object(fields), { description })

/** Schema of a text that is one of a few values: an `enum` of JSON Schema. */
const OneOf = <T extends string>(values: readonly T[], about: string | object = {}) =>
  forms.Unsafe<T>({ type: 'string', enum: [...values], ...optionsOf(about) })

/** Schema of a value that may also be `null`. */
const OrNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  forms.Union([schema, forms.Null()], description === undefined ? {} : { description })

const patternsInWords = new Map<string, string>()

/** Schema of a text with a pattern; `mustBe` says the same in words, for refusals: nobody reads patterns. */
const Pattern = (mustBe: string, options: { readonly pattern: string } & Readonly<Record<string, unknown>>) => {
  patternsInWords.set(options.pattern, mustBe)
  return forms.String(options)
}

/** What a text of this pattern must be, in words. */
export const describePattern = (pattern: unknown): string | undefined => patternsInWords.get(String(pattern))

type DescribedNumber = { readonly type: 'integer' | 'number'; readonly minimum: number; readonly maximum?: number }

const describedPatterns = new Map<string, DescribedNumber>()

/** How the OpenAPI document describes a text of this pattern in an address, if not as a text. */
export const describedAs = (pattern: string | undefined): DescribedNumber | undefined =>
  describedPatterns.get(pattern ?? '')

/** Like `Pattern`, for numbers in addresses: their text is checked, and the document describes them as numbers. */
const NumberText = (
  mustBe: string,
  described: DescribedNumber,
  options: { readonly pattern: string } & Readonly<Record<string, unknown>>,
) => {
  describedPatterns.set(options.pattern, described)
  return Pattern(mustBe, options)
}

/** Schema of printable text of 1 to `maxLength` characters. */
const Printable = (maxLength: number, about: string | object = {}) =>
  Pattern('must be printable characters.', { minLength: 1, maxLength, pattern: orderIdPattern, ...optionsOf(about) })

/** Schemas, and forms of them that describe the API. */
export const Type = {
  ...forms,
  Optional,
  Text,
  Whole,
  Flag,
  OneOf,
  OrNull,
  Pattern,
  NumberText,
  Printable,
  Exact,
  Titled,
  TitledExact,
  Group,
  Rows,
}

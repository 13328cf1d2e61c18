import { type TObjectOptions, type TProperties, type TSchema, Type as TypeBox } from 'typebox'
import { orderIdPattern } from '../rules/payments/order-id.ts'

/** The value that a schema describes. */
export type { Static } from 'typebox'

/** Options of a schema: its description alone, or more. */
const optionsOf = (about: string | object): object => (typeof about === 'string' ? { description: about } : about)

/** Schema of a field that may be absent; `description` says what it means here. */
const Optional = <Schema extends TSchema>(schema: Schema, description?: string) =>
  TypeBox.Optional(description === undefined ? schema : { ...schema, description })

/** Schema of a text in a response. */
const Text = (description: string, ...examples: readonly string[]) =>
  TypeBox.String({ description, ...(examples.length > 0 && { examples }) })

/** Schema of a whole number in a response. */
const Whole = (description: string, ...examples: readonly number[]) =>
  TypeBox.Integer({ description, ...(examples.length > 0 && { examples }) })

/** Schema of true or false. */
const Flag = (description: string) => TypeBox.Boolean({ description })

/** Schema of an object that has no other fields than these. */
const Exact = <Fields extends TProperties>(fields: Fields, options: TObjectOptions = {}) =>
  TypeBox.Object(fields, { additionalProperties: false, ...options })

/** Schema of an object that has a name of its own in the OpenAPI document. */
const Titled = <Fields extends TProperties>(title: string, fields: Fields) => TypeBox.Object(fields, { title })

/** The same for a body, which has no other fields than these. */
const TitledExact = <Fields extends TProperties>(title: string, fields: Fields) => Exact(fields, { title })

/** Schema of an object that is part of a response. */
const Group = <Fields extends TProperties>(description: string, fields: Fields) =>
  TypeBox.Object(fields, { description })

/** Schema of a list of objects. */
const Rows = <Fields extends TProperties>(description: string, fields: Fields) =>
  TypeBox.Array(TypeBox.Object(fields), { description })

/** Schema of a text that is one of a few values: an `enum` of JSON Schema. */
const OneOf = <T extends string>(values: readonly T[], about: string | object = {}) =>
  TypeBox.Unsafe<T>({ type: 'string', enum: [...values], ...optionsOf(about) })

/** Schema of a value that may also be `null`. */
const OrNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  TypeBox.Union([schema, TypeBox.Null()], description === undefined ? {} : { description })

const patternsInWords = new Map<string, string>()

/** Schema of a text with a pattern; `mustBe` says the same in words, for refusals: nobody reads patterns. */
const Pattern = (mustBe: string, options: { readonly pattern: string } & Readonly<Record<string, unknown>>) => {
  patternsInWords.set(options.pattern, mustBe)
  return TypeBox.String(options)
}

/** What a text of this pattern must be, in words. */
export const describePattern = (pattern: unknown): string | undefined => patternsInWords.get(String(pattern))

const describedPatterns = new Map<string, object>()

/** How the OpenAPI document describes a text of this pattern in an address, if not as a text. */
export const describedAs = (pattern: string | undefined): object | undefined => describedPatterns.get(pattern ?? '')

/** Like `Pattern`, for numbers in addresses: their text is checked, and the document describes them as numbers. */
const NumberText = (
  mustBe: string,
  described: { readonly type: 'integer' | 'number'; readonly minimum: number; readonly maximum?: number },
  options: { readonly pattern: string } & Readonly<Record<string, unknown>>,
) => {
  describedPatterns.set(options.pattern, described)
  return Pattern(mustBe, options)
}

/** Schema of printable text of 1 to `maxLength` characters. */
const Printable = (maxLength: number, about: string | object = {}) =>
  Pattern('must be printable characters.', { minLength: 1, maxLength, pattern: orderIdPattern, ...optionsOf(about) })

/** The schemas of TypeBox, and the forms of them that describe the API. */
export const Type = {
  ...TypeBox,
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

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
import type { NamedKind } from './named.ts'

export type { Static } from 'typebox'

/** What a word says: done, waiting, somebody must act, in progress, over. */
export type Tone = 'good' | 'wait' | 'bad' | 'live' | 'over'

/** What a value is to people, or each of several values; it decides how a value is shown and typed. */
export type FieldKind =
  /** How operators know a requisite. */
  | 'account'
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
  /** Millionths of the quote currency, shown and typed as an amount of it. */
  | 'quote'
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
  readonly quote: (micro: number) => string
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
  readonly tones?: Readonly<Record<string, Tone>>
  /** Of rows: their columns, the most important first. Default: all fields. */
  readonly columns?: readonly (string | Summary<never>)[]
}

/** Members of a schema, and what people see of the field where the schema does not say it. */
type More = TSchemaOptions & Presentation

/** Options of a schema: its description alone, or more. */
const optionsOf = (about: string | More): More => (typeof about === 'string' ? { description: about } : about)

// Plain JSON schemas with the types of TypeBox, whose three hundred files would take each command and page a tenth of a
// second to load. Marks are symbols: copies keep them, and JSON does not have them.
const schemaMark = Symbol('schema')
const optionalMark = Symbol('optional')

const presentationMark = Symbol('presentation')

/** What people see of a field, where its schema does not say it. */
export const presentationOf = (schema: object): Presentation =>
  (schema as { readonly [presentationMark]?: Presentation })[presentationMark] ?? {}

const presentationNames = [
  ...(['kind', 'of', 'owner', 'shownAs', 'currency', 'heading', 'absent', 'tones', 'columns'] as const),
]

/** A schema with more, or with a description. What people see is not part of its JSON. */
export const presented = <Schema extends object>(schema: Schema, about: string | More): Schema => {
  const more = optionsOf(about)
  const all: Record<PropertyKey, unknown> = { ...schema, ...more }
  const seen: Record<string, unknown> = { ...presentationOf(schema) }
  for (const name of presentationNames) {
    if (name in more) seen[name] = more[name]
    delete all[name]
  }
  return { ...all, [presentationMark]: seen } as never
}

/** Rows that people see in these columns, the most important first: fields by their names, or what several say. */
export const inColumns = <Row extends TSchema>(
  rows: TArray<Row>,
  columns: readonly (Extract<keyof Static<Row>, string> | Summary<Static<Row>>)[],
): TArray<Row> => presented(rows, { columns })

const marked = (schema: More): never => presented({ ...schema, [schemaMark]: true }, schema) as never

/** A schema as JSON: the members that the API uses. */
export type JsonSchema = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
}

/** Whether only `null` has this schema. */
export const isNull = ({ type }: JsonSchema): boolean => type === 'null'

/** The schema of a value that is not `null`. */
export const orItself = (schema: JsonSchema): JsonSchema => schema.anyOf?.find((each) => !isNull(each)) ?? schema

/** Whether a value is a schema, and not the fields of one. */
export const isSchema = (value: object): boolean => schemaMark in value

/** Whether a field with this schema may be absent. */
export const isOptional = (schema: object): boolean => optionalMark in schema

const makeOptional = <Schema extends TSchema>(schema: Schema): TOptional<Schema> =>
  ({ ...schema, [optionalMark]: true }) as never

/** Fields by their names, of declarations in which `note?` is the field `note`, which may be absent. */
export type ByName<Fields extends TProperties> = {
  [Name in keyof Fields as Name extends `${infer Bare}?` ? Bare : Name]: Name extends `${string}?`
    ? TOptional<Fields[Name]>
    : Fields[Name]
}

/** The same of a declaration; the later of `note` and `note?` replaces the other in place. */
export const byName = <Fields extends TProperties>(declared: Fields): ByName<Fields> => {
  const fields = Object.entries(declared).map(([name, schema]) =>
    name.endsWith('?') ? [name.slice(0, -1), makeOptional(schema)] : [name, schema],
  )
  return Object.fromEntries(fields) as ByName<Fields>
}

const makeObject = <Fields extends TProperties>(
  declared: Fields,
  options: TObjectOptions & Presentation = {},
): TObject<ByName<Fields>> => {
  const properties: TProperties = byName(declared)
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name] ?? {}))
  return marked({ type: 'object', ...(required.length > 0 && { required }), properties, ...options })
}

type AllOptional<Fields extends TProperties> = { [Name in keyof Fields]: TOptional<Fields[Name]> }

/** The forms of JSON Schema that the API uses. */
const forms = {
  String: (options: TStringOptions & Presentation = {}): TString => marked({ type: 'string', ...options }),
  Number: (options: TNumberOptions & Presentation = {}): TNumber => marked({ type: 'number', ...options }),
  Integer: (options: TNumberOptions & Presentation = {}): TInteger => marked({ type: 'integer', ...options }),
  Boolean: (options: More = {}): TBoolean => marked({ type: 'boolean', ...options }),
  Null: (options: More = {}): TNull => marked({ type: 'null', ...options }),
  Unknown: (options: More = {}): TUnknown => marked({ ...options }),
  Unsafe: <Value>(schema: object): TUnsafe<Value> => marked({ ...schema }),
  Object: makeObject,
  Array: <Schema extends TSchema>(items: Schema, options: TArrayOptions & Presentation = {}): TArray<Schema> =>
    marked({ type: 'array', items, ...options }),
  Union: <Schemas extends TSchema[]>(anyOf: [...Schemas], options: More = {}): TUnion<Schemas> =>
    marked({ anyOf, ...options }),
  /** An object with any names. */
  Record: <Schema extends TSchema>(
    _names: TString,
    values: Schema,
    options: More = {},
  ): TUnsafe<Record<string, Static<Schema>>> =>
    marked({ type: 'object', patternProperties: { '^.*$': values }, ...options }),
  Partial: <Fields extends TProperties>(
    { properties }: TObject<Fields>,
    options: TObjectOptions & Presentation = {},
  ): TObject<AllOptional<Fields>> => {
    const fields = Object.entries(properties).map(([name, schema]) => [`${name}?`, schema])
    return makeObject(Object.fromEntries(fields), options) as never
  },
}

const Text = (description: string, ...examples: readonly string[]) =>
  forms.String({ description, ...(examples.length > 0 && { examples }) })

const Whole = (description: string, ...examples: readonly number[]) =>
  forms.Integer({ description, ...(examples.length > 0 && { examples }) })

/** Schema of a whole number within bounds. */
const Bounded = (minimum: number, maximum: number, about: string | More = {}) =>
  forms.Integer({ minimum, maximum, ...optionsOf(about) })

const Flag = (description: string) => forms.Boolean({ description })

/** Schema of an object that has no other fields than these. */
const Exact = <Fields extends TProperties>(fields: Fields, options: TObjectOptions & Presentation = {}) =>
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
const OneOf = <T extends string>(values: readonly T[], about: string | More = {}) =>
  forms.Unsafe<T>({ type: 'string', enum: [...values], ...optionsOf(about) })

/** Schema of a value that may also be `null`. */
const OrNull = <Schema extends TSchema>(schema: Schema, about: string | More = {}) =>
  forms.Union([schema, forms.Null()], optionsOf(about))

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
const Printable = (maxLength: number, about: string | More = {}) =>
  Pattern('must be printable characters.', { minLength: 1, maxLength, pattern: orderIdPattern, ...optionsOf(about) })

/** Schemas, and forms of them that describe the API. */
export const Type = {
  ...forms,
  Text,
  Whole,
  Bounded,
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

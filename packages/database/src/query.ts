import { formatInstant, type Instant } from './instant.ts'

/** How a SQL type is transferred: always as text, so that both engines give exactly the same answers. */
export type Codec<T> = {
  /** The PostgreSQL type, used as the cast of a parameter. */
  readonly type: string
  /** Whether its text is made from a number, a time or a truth value, so that an array needs no quotes around it. */
  readonly isPlain?: boolean
  encode(value: T): string | null
  decode(text: string | null): T
}

const notNull = (text: string | null): string => {
  if (text === null) throw new Error('null in a column that is declared not null')
  return text
}

const codec = <T>(type: string, encode: (value: T) => string, decode: (text: string) => T): Codec<T> => ({
  type,
  encode,
  decode: (text) => decode(notNull(text)),
})

const plain = <T>(type: string, encode: (value: T) => string, decode: (text: string) => T): Codec<T> => ({
  ...codec(type, encode, decode),
  isPlain: true,
})

const same = (value: string): string => value

/** UUID in its canonical lower-case text. */
export const uuid: Codec<string> = codec('uuid', same, same)
/** Any well-formed text. */
export const text: Codec<string> = codec('text', same, same)
/** A union of words, kept as text. */
export const word = <T extends string>(): Codec<T> => codec<T>('text', same, (value) => value as T)
/** 64-bit integer; the type of all amounts of money. */
export const bigint: Codec<bigint> = plain('bigint', String, BigInt)
/** 32-bit integer. */
export const integer: Codec<number> = plain('integer', String, Number)
export const boolean: Codec<boolean> = plain(
  'boolean',
  (value) => (value ? 't' : 'f'),
  (value) => value === 't',
)
const zero = '0'.charCodeAt(0)
const twoDigits = (value: string, at: number): number =>
  (value.charCodeAt(at) - zero) * 10 + value.charCodeAt(at + 1) - zero

/** For instance of `2026-11-26 09:05:01.25+00`. By its digits, because `Date.parse` takes four times as long. */
const parseInstant = (value: string): Instant => {
  const microseconds = Math.round(Number(value.slice(19, -3)) * 1_000_000)
  const century = twoDigits(value, 0)
  const parsed = Date.UTC(
    century * 100 + twoDigits(value, 2),
    twoDigits(value, 5) - 1,
    twoDigits(value, 8),
    twoDigits(value, 11),
    twoDigits(value, 14),
    twoDigits(value, 17),
    Math.floor(microseconds / 1000),
  )
  // `Date.UTC` takes the years of the first century for those of the twentieth.
  if (century > 0 && value[4] === '-' && value.endsWith('+00') && !Number.isNaN(parsed)) return parsed
  throw new Error(`the database writes times as ${value}: its session is not in UTC with ISO dates`)
}

/** Point in time with millisecond precision; sessions run in UTC with ISO dates. */
export const instant: Codec<Instant> = plain('timestamptz', formatInstant, parseInstant)
/** JSON document; the caller declares its shape. */
export const jsonb = <T>(): Codec<T> =>
  codec<T>(
    'jsonb',
    (value) => JSON.stringify(value),
    (value) => JSON.parse(value) as T,
  )

/**
 * JSON document, or array of documents, with amounts of money under some names: bigint in code, text in JSON, because JSON numbers become
 * doubles.
 */
export const jsonbWithAmounts = <T>(
  names: readonly (keyof (T extends readonly (infer Each)[] ? Each : T) & string)[],
): Codec<T> =>
  codec<T>(
    'jsonb',
    (value) => JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)),
    (value) => {
      const document: unknown = JSON.parse(value)
      for (const each of (Array.isArray(document) ? document : [document]) as Record<string, unknown>[]) {
        for (const name of names) {
          const amount = each[name]
          if (amount !== undefined && amount !== null) each[name] = BigInt(amount as string | number)
        }
      }
      return document as T
    },
  )

/** The same codec with `null` allowed. */
export const nullable = <T>(inner: Codec<T>): Codec<T | null> => ({
  type: inner.type,
  isPlain: inner.isPlain ?? false,
  encode: (value) => (value === null ? null : inner.encode(value)),
  decode: (value) => (value === null ? null : inner.decode(value)),
})

const needsQuotes = /[^A-Za-z0-9:.+-]/
const hasEscapes = /["\\]/
// Characters that JSON escapes differently from PostgreSQL.
const hasControls = /[^ -\uffff]/

const arrayElement = (value: string | null): string => {
  if (value === null) return 'null'
  if (value !== '' && !needsQuotes.test(value) && (value.length !== 4 || value.toLowerCase() !== 'null')) return value
  if (!hasEscapes.test(value)) return `"${value}"`
  // JSON quotes the same two characters in the same way, seven times as fast; every payment has two texts full of them.
  if (!hasControls.test(value) && value.isWellFormed()) return JSON.stringify(value)
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

const arrayLiteral = <T>(values: readonly T[], isPlain: boolean, encode: (value: T) => string | null): string => {
  let out = '{'
  for (const value of values) {
    const element = encode(value)
    out += (out.length > 1 ? ',' : '') + (isPlain ? (element ?? 'null') : arrayElement(element))
  }
  return `${out}}`
}

/** One-dimensional array parameter, for conditions such as `id = any(:ids)`; pass sets of rows as `rows`. */
export const array = <T>(inner: Codec<T>): Codec<readonly T[]> => ({
  type: `${inner.type}[]`,
  encode: (values) => arrayLiteral(values, inner.isPlain ?? false, (value) => inner.encode(value)),
  decode: () => {
    throw new Error('array columns are not read: select a jsonb instead')
  },
})

/** Codecs of fields, by name. */
export type Codecs = Readonly<Record<string, Codec<unknown>>>
type Values<C> = { readonly [K in keyof C]: C[K] extends Codec<infer T> ? T : never }
type RowOf<R> = R extends Codecs ? Values<R> : Record<string, never>
type Parameters<P, S> = (P extends Codecs ? Values<P> : unknown) &
  (S extends Codecs ? { readonly rows: readonly Values<S>[] } : unknown)

/** A named SQL text whose parameters and rows are declared and, in the tests, checked against the migrated schema. */
export type Query<P, Row> = {
  readonly name: string
  /** When it is planned; `whole` reads whole tables and may take longer. */
  readonly planned: 'once' | 'each-time' | 'whole'
  /** Whether its joins use hashes instead of loops. */
  readonly hashesJoins?: boolean
  /** Unique indexes that it violates only if another transaction was first: then it is run again. */
  readonly races?: readonly string[]
  readonly text: string
  readonly parameterTypes: readonly string[]
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  encode(parameters: P): (string | null)[]
  decode(row: readonly (string | null)[]): Row
}

const writing = /\b(?:insert into|delete from|update \w+(?: as \w+)? set)\b/
const locking = /\bfor (?:no key )?(?:update|share)\b/

/** What a query did that gave these rows: a text that returns what it writes wrote nothing if there are none. */
export const effectOf = (of: { readonly text: string }, rows: readonly unknown[]): 'wrote' | 'held' | 'read' => {
  if (!writing.test(of.text)) return locking.test(of.text) ? 'held' : 'read'
  return rows.length > 0 || !/\breturning\b/.test(of.text) ? 'wrote' : 'held'
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns of a row, as SQL lists them; `table` is the alias that qualifies them. */
export const columnsOf = (row: Codecs, table?: string): string =>
  Object.keys(row)
    .map((name) => (table === undefined ? '' : `${table}.`) + snakeCase(name))
    .join(', ')

/** The parameters with these names, in the order of `columnsOf`. */
export const marksOf = (parameters: Codecs): string =>
  Object.keys(parameters)
    .map((name) => `:${name}`)
    .join(', ')

/** `(a, b) = (:a, :b)`: what an update sets to its parameters with these names. */
export const given = (parameters: Codecs): string => `(${columnsOf(parameters)}) = (${marksOf(parameters)})`

const declared: Query<never, unknown>[] = []

/** Every query that has been declared so far; the schema test describes each one. */
export const declaredQueries = (): readonly Query<never, unknown>[] => declared

/** Replaces the words with a colon in a query's text. */
const expandText = (name: string, template: string, parameters: Codecs, rows?: Codecs, row?: Codecs): string => {
  const names = Object.keys(parameters)
  const types = [...Object.values(parameters), ...Object.values(rows ?? {}).map((each) => array(each))].map(
    (each) => each.type,
  )
  const parameter = (index: number): string => `$${index + 1}::${types[index]}`
  const unnest = `unnest(${Object.keys(rows ?? {})
    .map((_, index) => parameter(names.length + index))
    .join(', ')})`
  const columns = columnsOf(rows ?? {})
  const marks = names.map((_, index) => parameter(index))
  const expansions = new Map([
    ['fields', columnsOf(parameters)],
    ['values', marks.join(', ')],
    ...names.map((each, index) => [each, marks[index]] as const),
  ])
  if (rows) {
    expansions.set('rows', `${unnest} as input (${columns})`)
    expansions.set('numberedRows', `${unnest} with ordinality as input (${columns}, ordinal)`)
    expansions.set('columns', columns)
  }
  const used = new Set<string>()
  const sql = template.replace(/(?:\b(\w+)\.)?(?<![:\w]):([a-z]\w*)/g, (_, table: string | undefined, mark: string) => {
    if (mark === 'row' && row) return columnsOf(row, table)
    const expansion = table === undefined ? expansions.get(mark) : undefined
    if (expansion === undefined) throw new Error(`query ${name}: parameter :${mark} is not declared`)
    used.add(mark)
    return expansion
  })
  const unused = used.has('values') ? [] : names.filter((each) => !used.has(each))
  if (rows && !used.has('rows') && !used.has('numberedRows')) unused.push('rows')
  if (unused.length > 0) throw new Error(`query ${name}: unused parameters ${unused.join(', ')}`)
  return sql
}

/**
 * Declares a query. In the text, `:name` becomes a parameter with the cast of its codec. Columns are returned in the
 * order of `row`, whose camelCase names are those of the snake_case columns.
 *
 * A query on a set declares the shape of its objects as `rows`: `from :rows` becomes the table `input` with a column
 * per field, `from :numberedRows` also has their `ordinal` from 1, and `:columns` is the list of these columns.
 *
 * `:row` is the list of the returned columns, `held.:row` those of `held`; `(:fields) values (:values)` inserts all
 * parameters into the columns with their names.
 */
export const query = <
  P extends Codecs | undefined = undefined,
  S extends Codecs | undefined = undefined,
  R extends Codecs | undefined = undefined,
>(
  name: string,
  options: {
    readonly parameters?: P
    readonly rows?: S
    /** The columns that it returns; none for a change that returns nothing. */
    readonly row?: R
    readonly text: string
    /**
     * `each-time` for optional filters, each combination of which needs its own plan; never in a transaction. `whole`
     * for queries that read whole tables and may take longer than others.
     */
    readonly planned?: 'once' | 'each-time' | 'whole'
    /**
     * For a `whole` query that joins sets whose number of matching rows PostgreSQL cannot know: with loops, a set of
     * ten thousand took minutes.
     */
    readonly hashesJoins?: boolean
    /**
     * Unique indexes that it violates only if another transaction was first: then it, or its transaction, is run again.
     */
    readonly races?: readonly string[]
  },
): Query<Parameters<P, S>, RowOf<R>> => {
  const parameters = Object.entries<Codec<unknown>>(options.parameters ?? {})
  const fields = Object.entries<Codec<unknown>>(options.rows ?? {})
  const columns = Object.entries<Codec<unknown>>(options.row ?? {})
  const made: Query<Parameters<P, S>, RowOf<R>> = {
    name,
    planned: options.planned ?? 'once',
    ...(options.hashesJoins && { hashesJoins: true }),
    ...(options.races && { races: options.races }),
    text: expandText(name, options.text, options.parameters ?? {}, options.rows, options.row),
    parameterTypes: [...parameters.map(([, each]) => each.type), ...fields.map(([, each]) => `${each.type}[]`)],
    columns: columns.map(([field, each]) => ({ name: snakeCase(field), type: each.type })),
    encode: (values) => {
      const own = values as Readonly<Record<string, unknown>>
      const encoded = parameters.map(([field, each]) => each.encode(own[field]))
      const rows = (own['rows'] ?? []) as readonly Readonly<Record<string, unknown>>[]
      for (const [field, each] of fields) {
        encoded.push(arrayLiteral(rows, each.isPlain ?? false, (row) => each.encode(row[field])))
      }
      return encoded
    },
    decode: (row) => {
      const out: Record<string, unknown> = {}
      for (let index = 0; index < columns.length; index++) {
        const [field, each] = columns[index] as [string, Codec<unknown>]
        out[field] = each.decode(row[index] ?? null)
      }
      return out as RowOf<R>
    },
  }
  declared.push(made)
  return made
}

import { formatInstant, type Instant } from '../domain/time.ts'

/** How one SQL type travels: always as text, so that both engines answer bit for bit the same. */
export type Codec<T> = {
  /** The PostgreSQL type, used as the cast of a parameter. */
  readonly type: string
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

const same = (value: string): string => value

/** UUID in its canonical lower-case text. */
export const uuid: Codec<string> = codec('uuid', same, same)
/** Any well-formed text. */
export const text: Codec<string> = codec('text', same, same)
/** A union of words, kept as text. */
export const word = <T extends string>(): Codec<T> => codec<T>('text', same, (value) => value as T)
/** 64-bit integer; the type of every amount of money. */
export const bigint: Codec<bigint> = codec('bigint', String, BigInt)
/** 32-bit integer. */
export const integer: Codec<number> = codec('integer', String, Number)
/** Boolean. */
export const boolean: Codec<boolean> = codec(
  'boolean',
  (value) => (value ? 't' : 'f'),
  (value) => value === 't',
)
/** Point in time with millisecond precision; sessions run in UTC with ISO dates. */
export const instant: Codec<Instant> = codec('timestamptz', formatInstant, (value) =>
  Date.parse(`${value.slice(0, 10)}T${value.slice(11).replace(/\+00$/, 'Z')}`),
)
/** JSON document; the caller declares its shape. */
export const jsonb = <T>(): Codec<T> =>
  codec<T>(
    'jsonb',
    (value) => JSON.stringify(value),
    (value) => JSON.parse(value) as T,
  )

/** The same codec with `null` allowed. */
export const nullable = <T>(inner: Codec<T>): Codec<T | null> => ({
  type: inner.type,
  encode: (value) => (value === null ? null : inner.encode(value)),
  decode: (value) => (value === null ? null : inner.decode(value)),
})

const needsQuotes = /[^A-Za-z0-9:.+-]/
const hasEscapes = /["\\]/
// What JSON escapes in another way than PostgreSQL.
const hasControls = /[^ -\uffff]/

const arrayElement = (value: string | null): string => {
  if (value === null) return 'null'
  if (value !== '' && !needsQuotes.test(value) && (value.length !== 4 || value.toLowerCase() !== 'null')) return value
  if (!hasEscapes.test(value)) return `"${value}"`
  // JSON quotes the same two characters in the same way, seven times as fast; every payment has two texts full of them.
  if (!hasControls.test(value) && value.isWellFormed()) return JSON.stringify(value)
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

/** One-dimensional array parameter, for queries that work on sets through `unnest`. */
export const array = <T>(inner: Codec<T>): Codec<readonly T[]> => ({
  type: `${inner.type}[]`,
  encode: (values) => {
    let out = '{'
    for (const value of values) out += (out.length > 1 ? ',' : '') + arrayElement(inner.encode(value))
    return `${out}}`
  },
  decode: () => {
    throw new Error('array columns are not read: select a jsonb instead')
  },
})

/** A query that has raced with another one casts this word to a boolean: that undoes it, and it is run again. */
export const racedWord = 'payin_raced'

type Codecs = Readonly<Record<string, Codec<unknown>>>
type Values<C> = { readonly [K in keyof C]: C[K] extends Codec<infer T> ? T : never }

/** A named SQL text whose parameters and rows are declared and, in the tests, checked against the migrated schema. */
export type Query<Parameters, Row> = {
  readonly name: string
  /** Whether its plan may be kept, or it reads whole tables and takes its time. */
  readonly planned: 'once' | 'each-time' | 'whole'
  readonly text: string
  readonly parameterTypes: readonly string[]
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  encode(parameters: Parameters): (string | null)[]
  decode(row: readonly (string | null)[]): Row
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const declared: Query<never, unknown>[] = []

/** Every query that has been declared so far; the schema test describes each one. */
export const declaredQueries = (): readonly Query<never, unknown>[] => declared

/**
 * Declares a query. `:name` in the text becomes `$n::type`; columns are returned in the order of `row`, whose
 * camelCase names stand for the snake_case columns.
 */
export const query = <P extends Codecs, R extends Codecs>(options: {
  readonly name: string
  readonly parameters: P
  readonly row: R
  readonly text: string
  /**
   * `anew` for filters that may be absent, each combination of which wants a plan of its own; never in a transaction.
   * `whole` for what reads whole tables, and by itself has more time than other queries.
   */
  readonly planned?: 'once' | 'each-time' | 'whole'
}): Query<Values<P>, Values<R>> => {
  const names = Object.keys(options.parameters)
  const codecs = Object.values(options.parameters)
  const used = new Set<string>()
  const sql = options.text.replace(/(?<![:\w]):([a-z]\w*)/g, (_, name: string) => {
    const index = names.indexOf(name)
    if (index < 0) throw new Error(`query ${options.name}: parameter :${name} is not declared`)
    used.add(name)
    return `$${index + 1}::${codecs[index]?.type}`
  })
  const unused = names.filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`query ${options.name}: unused parameters ${unused.join(', ')}`)
  const columns = Object.entries(options.row)
  const made: Query<Values<P>, Values<R>> = {
    name: options.name,
    planned: options.planned ?? 'once',
    text: sql,
    parameterTypes: codecs.map((each) => each.type),
    columns: columns.map(([name, each]) => ({ name: snakeCase(name), type: each.type })),
    encode: (parameters) => {
      const values = parameters as Record<string, unknown>
      return codecs.map((each, index) => each.encode(values[names[index] as string]))
    },
    decode: (row) => {
      const out: Record<string, unknown> = {}
      for (let index = 0; index < columns.length; index++) {
        const [name, each] = columns[index] as [string, Codec<unknown>]
        out[name] = each.decode(row[index] ?? null)
      }
      return out as Values<R>
    },
  }
  declared.push(made)
  return made
}

import { wire } from '../../operations/fields.ts'
import { isNull, isOptional, type JsonSchema, orItself } from '../../operations/schema.ts'
import { formatInstant } from '../../rules/time.ts'

type TimeName = 'at' | 'since' | 'until' | 'from' | 'to' | `${string}${'At' | 'Since' | 'Until'}`
/** Sums may have more digits than a JSON number keeps, and are texts. */
type SumName = 'amount' | 'balance' | 'credit' | 'debit' | 'unproven' | 'waiting'

type KnownFields<T> = {
  readonly [Name in keyof T]:
    | Known<T[Name]>
    | (Name extends TimeName ? number : never)
    | (Name extends SumName ? bigint : never)
    | (Partial<Pick<T, Name>> extends Pick<T, Name> ? null | undefined : never)
}

/** A value of a response as the engine has it: with instants for times, and minor units for amounts. */
export type Known<T> = T extends number
  ? number | bigint
  : T extends readonly (infer Item)[]
    ? readonly Known<Item>[]
    : T extends object
      ? KnownFields<T>
      : T

type Fields = Readonly<Record<string, unknown>>

const toNumber = (value: bigint, type: string | undefined, name: string, currency = ''): number | string => {
  if (type === 'integer') return Number(value)
  if (type === 'string') return wire.sum(value, currency)
  return /price$/i.test(name) ? wire.price(value) : wire.amount(value, currency)
}

const toFields = (properties: Readonly<Record<string, JsonSchema>>, value: Fields, outer?: string): Fields => {
  const currency = typeof value['currency'] === 'string' ? value['currency'] : outer
  const answer: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const own = value[name]
    const isAbsent = own === undefined || (own === null && isOptional(schema) && !schema.anyOf?.some(isNull))
    if (!isAbsent) answer[name] = toAnswer(schema, own, name, currency)
  }
  return answer
}

/**
 * A value of the engine as its schema declares it: instants become times, and minor units amounts in the currency next
 * to them or around them; `null` is left out where a field may be absent, and so is what is not declared.
 */
export const toAnswer = (schema: JsonSchema, value: unknown, name = '', currency?: string): unknown => {
  const { type, format, items, properties, patternProperties } = orItself(schema)
  if (typeof value === 'bigint') return toNumber(value, type, name, currency)
  if (typeof value === 'number') return format === 'date-time' ? formatInstant(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (items) return (value as readonly unknown[]).map((each) => toAnswer(items, each, name, currency))
  if (properties) return toFields(properties, value as Fields, currency)
  const [values] = Object.values(patternProperties ?? {})
  if (!values) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toAnswer(values, each, key, currency)]))
}

/** What the audit keeps of a row: the fields that an operation answers with, as people read them. */
export const readable = ({ answer }: { readonly answer?: object }, row: object): Fields =>
  toAnswer(answer as JsonSchema, row) as Fields

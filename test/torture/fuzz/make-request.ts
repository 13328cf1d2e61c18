// Requests made from the declaration of an operation: good ones, and such as are one mutation away.
import fc from 'fast-check'
import { oneOf, type Random } from '../../support/random.ts'
import { hostileNumbers, hostileShapes, hostileTexts } from './hostile-values.ts'
import type { Known } from './known.ts'
import type { Operation, Schema } from './operations.ts'

/** A request before it is sent. */
export type Made = {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** What requests are made of. */
export type Source = { readonly random: Random; readonly known: Known; readonly now: () => number }

/** The sample of a value to be sent as this JSON text, which no value of JavaScript gives. */
const rawText = (text: string): string => `@raw ${Buffer.from(text).toString('hex')}@`

/** The JSON text of a value. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replace(/"@raw ([0-9a-f]*)@"/g, (_, hex: string) => Buffer.from(hex, 'hex').toString())

const samples = new Map<string, readonly string[]>()

const matching = (pattern: string): readonly string[] => {
  const known = samples.get(pattern)
  if (known) return known
  // The generator knows no classes of Unicode; these patterns are those of plain texts.
  const made = pattern.includes('\\p')
    ? ['order-1', 'a', 'Платёж 7', 'x'.repeat(100), '😀', 'a/b', '..', '%2f', 'é', '"', "'", 'null', '0']
    : fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 30, seed: 1 })
  samples.set(pattern, made)
  return made
}

/** Values that fit a field of this name better than any that its schema alone allows. */
const fitting: Readonly<Record<string, readonly unknown[]>> = {
  currency: ['rub', 'rub', 'rub', 'rub', 'usd', 'kzt'],
  amount: [5000, 5000, 100, 2500.5, 300000, 4000.37, 0.01, 1234.56],
  bankIssuer: ['bank-a', 'bank-b'],
  senderBank: ['bank-a', 'bank-b'],
  code: ['bank-a', 'bank-b', 'bank-c'],
  method: ['sbp', 'sbp', 'card-to-card', 'account-to-account', 'by-phone'],
  url: ['https://receiver.example.com/hook', 'https://shop.example.com/'],
  wait: ['0', '1'],
  limit: ['1', '2', '10', '100', '500'],
  day: ['2026-01-31', '2024-02-29'],
  delayMs: [0, 100],
  number: ['79991234567', '4111111111111111', '40702810500000000001'],
}

const makeText = (schema: Schema, name: string, { random, known, now }: Source): unknown => {
  const remembered = random(3) > 0 ? known.value(name) : undefined
  if (schema.format === 'uuid') return remembered ?? known.pick(`${name.replace(/Ids?$/, '')}s`)?.['id'] ?? unknownId
  if (schema.format === 'date-time') return new Date(now() + (random(400) - 300) * 600_000).toISOString()
  if (schema.format === 'uri') return oneOf(random, fitting['url'] ?? [])
  if (remembered !== undefined && random(2) === 0) return remembered
  const { minLength = 0, maxLength = 1000, pattern } = schema
  const made =
    pattern === undefined
      ? oneOf(random, ['text', 'Ivan Petrov', 'a reason', 'é', '1'])
      : oneOf(random, matching(pattern))
  return made.slice(0, maxLength).padEnd(minLength, 'x')
}

const unknownId = '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'

const makeNumber = (schema: Schema, { random }: Source): number => {
  const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 1)
  const most = Math.min(schema.maximum ?? 1_000_000, Number.MAX_SAFE_INTEGER)
  const ends = [least, most, Math.min(most, least + 1), least + random(Math.max(1, Math.min(most - least, 1e6)))]
  return oneOf(random, ends)
}

const makeObject = (schema: Schema, source: Source): Record<string, unknown> => {
  const { random } = source
  const branch = schema.anyOf && oneOf(random, schema.anyOf)
  const required = new Set([...(schema.required ?? []), ...(branch?.required ?? [])])
  const isFull = random(4) === 0
  const isBare = random(3) === 0
  const entries = Object.entries({ ...schema.properties, ...branch?.properties }).flatMap(([name, each]) => {
    if (!required.has(name) && !isFull && (isBare || random(3) > 0)) return []
    return [[name, makeValue(each, name, source)] as const]
  })
  return Object.fromEntries(entries)
}

/** A value that a schema allows; `name` is that of its field. */
const makeValue = (schema: Schema, name: string, source: Source): unknown => {
  const { random } = source
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return oneOf(random, schema.enum)
  const better = fitting[name]
  // A long poll would keep its lane waiting.
  if (better && name === 'wait') return oneOf(random, better)
  if (better && schema.type !== 'object' && schema.type !== 'array' && random(8) > 0) return oneOf(random, better)
  if (schema.anyOf && !schema.properties) return makeValue(oneOf(random, schema.anyOf), name, source)
  switch (schema.type) {
    case 'object':
      return makeObject(schema, source)
    case 'array': {
      const length = Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + random(3))
      return Array.from({ length }, () => makeValue(schema.items ?? {}, name, source))
    }
    case 'number':
    case 'integer':
      return makeNumber(schema, source)
    case 'boolean':
      return random(2) === 0
    case 'null':
      return null
    default:
      return makeText(schema, name, source)
  }
}

/** Fills the parameters of a path; those of one object, such as `/{merchantId}/{id}`, come from one that is known. */
const makePath = ({ path, parameters }: Operation, source: Source): string => {
  let collection = ''
  let object: Readonly<Record<string, unknown>> = {}
  return path
    .split('/')
    .map((segment) => {
      if (!segment.startsWith('{')) {
        collection = segment
        object = source.known.pick(segment) ?? {}
        return segment
      }
      const name = segment.slice(1, -1)
      const own = object[name] ?? (name.startsWith(collection.slice(0, -1)) ? object['id'] : undefined)
      const schema = parameters.find((each) => each.in === 'path' && each.name === name)?.schema ?? {}
      return encodeURIComponent(String(own ?? makeValue(schema, name, source)))
    })
    .join('/')
}

const makeBody = ({ bodies, id }: Operation, source: Source): Pick<Made, 'headers' | 'body'> => {
  const types = Object.keys(bodies ?? {})
  if (types.length === 0) return { headers: {}, body: undefined }
  const type = oneOf(source.random, types)
  const headers = { 'content-type': type }
  if (type !== 'application/json') return { headers, body: oneOf(source.random, files) }
  return { headers, body: jsonOf(makeValue(bodies?.[type]?.schema ?? {}, id, source)) }
}

const files = [
  Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n', 'latin1'),
  Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080600000001f15c4890000000', 'hex'),
  Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'),
  Buffer.from('not a picture'),
]

/** A request as its declaration has it. */
export const makeRequest = (operation: Operation, source: Source): Made => {
  const query = operation.parameters
    .filter((each) => each.in === 'query' && source.random(3) === 0)
    .map(({ name, schema }) => [name, String(makeValue(schema, name, source))] as const)
  return { method: operation.method, path: makePath(operation, source), query, ...makeBody(operation, source) }
}

const hostileJson = (random: Random): unknown => {
  const kind = random(3)
  if (kind === 0) return rawText(oneOf(random, hostileNumbers))
  return kind === 1 ? oneOf(random, hostileTexts) : rawText(oneOf(random, hostileShapes))
}

/** Changes one place of a value: a field, an item, or the whole. */
const spoil = (value: unknown, random: Random): unknown => {
  if (typeof value !== 'object' || value === null || random(6) === 0) return hostileJson(random)
  const entries = Object.entries(value)
  if (Array.isArray(value)) {
    const at = random(value.length || 1)
    return value.length === 0
      ? [hostileJson(random)]
      : value.map((item, index) => (index === at ? spoil(item, random) : item))
  }
  const names = ['unknown', '__proto__', 'constructor', 'id', 'amount ', 'ID', '', 'x'.repeat(30_000)]
  const unknown = oneOf(random, names)
  if (entries.length === 0 || random(8) === 0) return Object.fromEntries([...entries, [unknown, hostileJson(random)]])
  const at = random(entries.length)
  if (random(5) === 0) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(entries.map(([name, item], index) => [name, index === at ? spoil(item, random) : item]))
}

const spoilText = (body: string, random: Random): string | Buffer => {
  const at = random(body.length || 1)
  switch (random(6)) {
    case 0:
      return body.slice(0, at)
    case 1:
      return `${body}${body}`
    case 2:
      return body.replace('{', '{"a":1,"a":1,')
    case 3:
      return Buffer.concat([Buffer.from(body.slice(0, at)), Buffer.from([0xff]), Buffer.from(body.slice(at))])
    case 4:
      return `\ufeff${body}`
    default:
      return body.replace(/\d+/, () => oneOf(random, hostileNumbers))
  }
}

const spoilBody = (made: Made, random: Random): Made => {
  if (typeof made.body !== 'string') return { ...made, body: Buffer.from(oneOf(random, hostileTexts)) }
  if (random(4) === 0) return { ...made, body: spoilText(made.body, random) }
  try {
    return { ...made, body: jsonOf(spoil(JSON.parse(made.body), random)) }
  } catch {
    return { ...made, body: spoilText(made.body, random) }
  }
}

const wrongHeaders: readonly Readonly<Record<string, string>>[] = [
  { authorization: '' },
  { authorization: 'Bearer payin_live_0000000000000000000000000000000000000000' },
  { authorization: 'Basic YTpi' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },
  { origin: 'https://shop.example.com' },
  { 'sec-fetch-site': 'cross-site' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"x", W/"y"' },
  { 'x-forwarded-for': '1.2.3.4, ::1' },
  { accept: 'text/html' },
  { 'accept-encoding': 'br;q=x' },
  { range: 'bytes=0-1' },
  { expect: '100-continue' },
  { 'x-large': 'x'.repeat(12_000) },
]

/** What a mutation did: whether the request still is one of the operation. */
export type Mutated = { readonly made: Made; readonly isOfOperation: boolean }

/** The request with one thing about it changed. */
export const mutate = (made: Made, random: Random): Mutated => {
  const keep = (changed: Partial<Made>): Mutated => ({ made: { ...made, ...changed }, isOfOperation: true })
  const kind = random(made.body === undefined ? 4 : 10)
  if (kind >= 4) return { made: spoilBody(made, random), isOfOperation: true }
  if (kind === 0) return keep({ headers: { ...made.headers, ...oneOf(random, wrongHeaders) } })
  if (kind === 1) {
    const names = ['cursor', 'limit', 'status', 'wait', 'after', 'from', 'to', 'currency', 'unknown', '__proto__', '']
    const [name] = made.query[random(made.query.length || 1)] ?? [oneOf(random, names)]
    return keep({ query: [...made.query, [name, oneOf(random, hostileTexts)]] })
  }
  if (kind === 2) {
    const method = oneOf(random, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
    return { made: { ...made, method }, isOfOperation: false }
  }
  const segments = made.path.split('/')
  const at = 1 + random(segments.length - 1)
  const path = segments
    .map((each, index) => (index === at ? encodeURIComponent(oneOf(random, hostileTexts)) : each))
    .join('/')
  return { made: { ...made, path }, isOfOperation: false }
}

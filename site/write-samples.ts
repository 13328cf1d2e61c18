import { inspect } from 'node:util'
import { exampleOf } from './describe-schema.ts'
import type { MerchantOperation } from './openapi-document.ts'
import { sdkCalls } from './sdk-calls.ts'

/** What a sample sends: the address with examples in it, and the body. */
type Call = {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Media type of a body that is a file. */
  readonly file: string | undefined
}

/** A month: without it, the examples of both times would be the same. */
const knownTimes: Readonly<Record<string, string>> = {
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-02-01T00:00:00.000Z',
}

/** An order of the samples, and ids of endpoints, events and links that the tests replace by real ones. */
const knownParameters: Readonly<Record<string, string>> = {
  orderId: 'order-1001',
  endpointId: '019a9c3e-7d5e-7b52-9f0c-00000000e001',
  eventId: '019a9c3e-7d5e-7b52-9f0c-00000000e002',
  id: '019a9c3e-7d5e-7b52-9f0c-00000000e003',
  linkId: '019a9c3e-7d5e-7b52-9f0c-00000000e004',
}

/** What the sample of an operation sends. */
const callOf = ({ method, path, parameters, body: content = {} }: MerchantOperation): Call => {
  const required = parameters.filter((each) => each.in === 'query' && each.required)
  const schema = content['application/json']?.schema
  const files = Object.keys(content)
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => knownParameters[name] ?? name),
    query: Object.fromEntries(required.map((each) => [each.name, knownTimes[each.name] ?? each.schema?.examples?.[0]])),
    body: schema && exampleOf(schema, false),
    file: schema ? undefined : (files.find((type) => type === 'image/png') ?? files[0]),
  }
}

const withQuery = ({ path, query }: Call): string => {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return search.size === 0 ? path : `${path}?${search}`
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curl = (call: Call): string => {
  const request =
    call.method === 'GET' || (call.method === 'POST' && call.body !== undefined) ? '' : `-X ${call.method} `
  const lines = [
    `curl ${request}"$PAYIN_URL${withQuery(call)}"`,
    `-H "Authorization: Bearer $PAYIN_TOKEN" -H 'Content-Type: ${call.file ?? 'application/json'}'`,
    ...(call.body === undefined ? [] : [`-d ${inShell(JSON.stringify(call.body))}`]),
    ...(call.file === undefined ? [] : ['--data-binary @receipt.png']),
  ]
  return lines.join(' \\\n  ')
}

/** A value of JSON as a literal of TypeScript. */
const literal = (value: unknown): string => inspect(value, { depth: null, breakLength: 88, compact: 3 })

const ts = (id: string, call: Call): string | undefined => {
  const made = sdkCalls[id]?.({
    ...knownParameters,
    body: call.body === undefined ? '' : literal(call.body),
    query: Object.keys(call.query).length === 0 ? '' : literal(call.query),
  })
  return made && `import { payin } from './payin.ts'\n\n${made}`
}

const fence = (language: string, source: string): string => `\`\`\`${language}\n${source}\n\`\`\``

/** A call of an operation by curl and by the SDK, as fenced code. */
export const writeSamples = (operation: MerchantOperation): string => {
  const call = callOf(operation)
  const withSdk = ts(operation.id, call)
  return [fence('sh', curl(call)), ...(withSdk === undefined ? [] : [fence('ts', withSdk)])].join('\n\n')
}

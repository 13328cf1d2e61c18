// `sdk/src/api.ts`: merchants' operations and their types, from the OpenAPI document. Existing generators bring a
// compiler and thirty packages; our schemas only use a dozen words of JSON Schema.

type Schema = {
  readonly type?: string
  readonly enum?: readonly (string | boolean)[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly description?: string
  readonly $ref?: string
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

type Operation = {
  readonly operationId?: string
  readonly summary: string
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const quoted = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)
const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`

const objectType = (schema: Schema, indent: string): string => {
  const { properties = {}, required = [], patternProperties = {} } = schema
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(field.description, inner)}${inner}${quoted(name)}${mark}: ${typeOf(field, inner)}\n`
  })
  const [values = schema.additionalProperties] = Object.values(patternProperties)
  const others = typeof values === 'object' ? typeOf(values, inner) : 'unknown'
  return fields.length === 0 ? `Record<string, ${others}>` : `{\n${fields.join('')}${indent}}`
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? ''

const literal = (value: string | boolean): string => (typeof value === 'string' ? `'${value}'` : String(value))

/** The TypeScript type of a schema; throws for a word of JSON Schema that it does not know. */
const typeOf = (schema: Schema, indent: string): string => {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.anyOf && schema.type === undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ')
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.type === 'object') return objectType(schema, indent)
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type
  if (Object.keys(schema).every((word) => word === 'description')) return 'unknown'
  throw new Error(`no type for ${JSON.stringify(schema)}`)
}

const parametersType = (operation: Operation, where: string): string | undefined => {
  const found = (operation.parameters ?? []).filter((parameter) => parameter.in === where)
  if (found.length === 0) return undefined
  const fields = found.map(
    ({ name, required, description, schema }) =>
      `${comment(description, '      ')}      ${quoted(name)}${required === true ? '' : '?'}: ${typeOf(schema, '      ')}\n`,
  )
  return `{\n${fields.join('')}    }`
}

const bodyType = ({ content }: { readonly content: Content }): string => {
  const json = content['application/json']
  return json?.schema ? typeOf(json.schema, '    ') : 'Uint8Array | Blob'
}

const answerType = (operation: Operation): string => {
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => {
      const json = content['application/json']
      return json?.schema ? typeOf(json.schema, '    ') : 'string'
    })
  return [...new Set(answers)].join(' | ')
}

const operationType = (operation: Operation): string => {
  const parts = {
    path: parametersType(operation, 'path'),
    query: parametersType(operation, 'query'),
    body: operation.requestBody && bodyType(operation.requestBody),
    answer: answerType(operation),
  }
  const fields = Object.entries(parts).map(([name, type]) => `    ${name}: ${type ?? 'undefined'}\n`)
  return `${comment(`${operation.summary}.`, '  ')}  ${operation.operationId}: {\n${fields.join('')}  }\n`
}

const eventType = ([kind, { post }]: [string, { readonly post: Operation }]): string =>
  `${comment(`${post.summary}.`, '  ')}  '${kind}': ${typeOf(post.requestBody?.content['application/json']?.schema ?? {}, '  ')}\n`

/** The names of the schemas that parts of the document refer to, directly or through others, without refusals. */
const namesIn = (part: unknown, schemas: Document['components']['schemas']): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const reference = (value as Schema).$ref
    if (typeof reference === 'string' && reference.includes('/schemas/') && !names.has(nameOf(reference))) {
      names.add(nameOf(reference))
      visit(schemas[nameOf(reference)])
    }
    for (const each of Object.values(value)) visit(each)
  }
  visit(part)
  return names
}

const namedType = (name: string, schema: Schema): string =>
  `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')}\n\n`

/** The text of the SDK's `api.ts`: the types and paths of all operations, the events, and the error codes. */
export const sdkSource = (openApi: string, errorCodes: readonly string[]): string => {
  const { paths, webhooks, components } = JSON.parse(openApi) as Document
  const found = Object.entries(paths)
    .filter(([path]) => /^\/api\/v1\/(?:merchant|sandbox)\//.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
  const places = found.map(({ path, method, operation }) => `  ${operation.operationId}: ['${method}', '${path}'],\n`)
  const named = namesIn([found.map(({ operation }) => operation), webhooks], components.schemas)
  return `// Generated from the OpenAPI document by \`npm run generate\`.

${[...named]
  .toSorted()
  .map((name) => namedType(name, components.schemas[name] ?? {}))
  .join('')}
/** Each operation: what it takes, and its answer. */
export type Operations = {
${found.map(({ operation }) => operationType(operation)).join('')}}

/** Each kind of notification, with its body. */
export type Events = {
${Object.entries(webhooks).map(eventType).join('')}}

/** The codes of refusals; a newer service may have more. */
export type ErrorCode =
${errorCodes.map((code) => `  | '${code}'\n`).join('')}  | (string & {})

/** The method and the address of each operation. */
export const operations = {
${places.join('')}} as const satisfies Record<keyof Operations, readonly [string, string]>
`
}

import type { Content, Operation, Schema } from './describe-operation.ts'
import { usuallyAbsent, usualValues } from './usual-values.ts'

/** A schema with the members from which an example is made. */
type Exemplary = Schema & {
  readonly examples?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly items?: Exemplary
  readonly allOf?: readonly Exemplary[]
  readonly additionalProperties?: boolean | Exemplary
  readonly patternProperties?: Readonly<Record<string, Exemplary>>
}

type Schemas = Readonly<Record<string, Exemplary>>

/** Names of schemas whose own examples say less than the name of the field does. */
const general = new Set(['Id', 'Time'])

const ofType = (schema: Exemplary): unknown => {
  const types = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type]
  if (types.includes('integer') || types.includes('number'))
    return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1)
  if (types.includes('boolean')) return true
  if (types.includes('null')) return null
  return types.includes('string') ? '…' : {}
}

/** Whether a usual value has the type of a schema, and is one of its values. */
const fits = (value: unknown, schema: Exemplary): boolean => {
  if (schema.enum) return schema.enum.includes(value)
  const type = typeof value
  if (type === 'number') return schema.type === 'number' || (schema.type === 'integer' && Number.isInteger(value))
  return schema.type === type
}

/** Makes examples of schemas: what they declare themselves, else what fields of that name usually hold. */
class Examples {
  readonly #schemas: Schemas

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  /** An example of the schema of a field. Objects of requests have only their required fields. */
  of(given: Exemplary, field: string, part: 'request' | 'answer'): unknown {
    const name = given.$ref?.split('/').at(-1)
    const named = name === undefined ? undefined : this.#schemas[name]
    const schema: Exemplary = named ? { ...named, ...given } : given
    const usual = usualValues[field]
    const own = schema.examples?.[0]
    if (usual !== undefined && (own === undefined || general.has(name ?? '')) && fits(usual, schema)) return usual
    if (own !== undefined) return own
    return this.#made(schema, field, part)
  }

  #made(schema: Exemplary, field: string, part: 'request' | 'answer'): unknown {
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => this.of(each, field, part)))
    if (schema.type === 'array') return schema.items ? [this.of(schema.items, field, part)] : []
    if (schema.properties) return this.#object(schema, part)
    const first = schema.anyOf?.find(({ type }) => type !== 'null')
    if (first) return this.of(first, field, part)
    return ofType(schema)
  }

  #object({ properties = {}, required = [] }: Exemplary, part: 'request' | 'answer'): object {
    const fields = Object.entries(properties).filter(
      ([name]) => required.includes(name) || (part === 'answer' && !usuallyAbsent.has(name)),
    )
    return Object.fromEntries(fields.map(([name, each]) => [name, this.of(each, name, part)]))
  }
}

const withExample = (content: Content, examples: Examples, part: 'request' | 'answer'): Content => {
  const json = content.content?.['application/json']
  if (!json?.schema) return content
  const example = examples.of(json.schema, '', part)
  return { ...content, content: { ...content.content, 'application/json': { ...json, example } } }
}

/** Adds an example to the body and the responses of an operation. */
const addToOperation = (operation: Operation, examples: Examples): Operation => ({
  ...operation,
  ...(operation.requestBody && {
    requestBody: { ...operation.requestBody, ...withExample(operation.requestBody, examples, 'request') },
  }),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, answer]) => [
      status,
      '$ref' in answer ? answer : withExample(answer, examples, 'answer'),
    ]),
  ),
})

/** Objects that are closed belong to requests, whose examples have only the required fields. */
const partOf = (schema: Exemplary): 'request' | 'answer' =>
  schema.additionalProperties === false && (schema.required?.length ?? 0) > 0 ? 'request' : 'answer'

/**
 * Adds examples to all named schemas, to the requests and responses of operations for merchants and banks, and to the
 * notifications.
 */
export const addExamples = <Paths extends Readonly<Record<string, Readonly<Record<string, Operation>>>>>(
  { paths, webhooks }: { readonly paths: Paths; readonly webhooks: Paths },
  schemas: Readonly<Record<string, Schema>>,
): { paths: Paths; webhooks: Paths; schemas: Readonly<Record<string, Schema>> } => {
  const examples = new Examples(schemas)
  const addTo = (all: Paths, isWanted: (path: string) => boolean): Paths =>
    Object.fromEntries(
      Object.entries(all).map(([path, methods]) => [
        path,
        isWanted(path)
          ? Object.fromEntries(
              Object.entries(methods).map(([method, each]) => [method, addToOperation(each, examples)]),
            )
          : methods,
      ]),
    ) as Paths
  return {
    paths: addTo(paths, (path) => !path.startsWith('/api/v1/operator/')),
    webhooks: addTo(webhooks, () => true),
    schemas: Object.fromEntries(
      Object.entries(schemas as Schemas).map(([name, schema]) => [
        name,
        schema.examples ? schema : { ...schema, examples: [examples.of(schema, '', partOf(schema))] },
      ]),
    ),
  }
}

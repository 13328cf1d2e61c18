import { describedAs, isNull, type JsonSchema } from '../../operations/schema.ts'
import { mayLackBody } from '../server/check-requests.ts'
import type { RouteSchema } from './collect-routes.ts'

/** A JSON schema as it is written in the document. */
export type Schema = JsonSchema & { readonly $ref?: string }

type Media = { readonly schema?: Schema; readonly example?: unknown }

export type Content = {
  readonly description?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, Media>>
}

export type Operation = {
  readonly operationId?: string
  readonly parameters?: readonly object[]
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Content | { readonly $ref: string }>>
}

const isFlag = ({ enum: values = [] }: Schema): boolean =>
  values.length > 0 && values.every((value) => value === 'true' || value === 'false')

/** The schema of a parameter. Addresses contain only text; the document says which texts are numbers or booleans. */
const parameterSchema = (schema: Schema): Omit<Schema, 'enum'> => {
  const described = describedAs(schema.pattern)
  if (described) {
    const { type: _t, pattern: _p, examples, ...words } = schema
    return { ...described, ...words, ...(examples && { examples: examples.map(Number) }) }
  }
  if (!isFlag(schema)) return schema
  const { enum: values = [], ...words } = schema
  return { ...words, type: 'boolean', ...(values.length === 1 && { enum: [values[0] === 'true'] }) }
}

const parametersIn = (where: 'path' | 'query' | 'header', shape: unknown): object[] => {
  const { properties = {}, required = [] } = (shape ?? {}) as Schema
  return Object.entries(properties).map(([name, declared]) => {
    const { description, ...schema } = parameterSchema(declared)
    return {
      ...{ in: where, name },
      required: where === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    }
  })
}

/** A body that may be left out is described by the schema that it has when it is sent. */
const bodySchema = (schema: Schema): Schema => {
  const [only, ...others] = (schema.anyOf ?? []).filter((each) => !isNull(each))
  return only !== undefined && others.length === 0 ? only : schema
}

const describeBody = ({ body, consumes }: RouteSchema): Operation['requestBody'] => {
  if (body === undefined) {
    if (!consumes) return undefined
    return { required: true, content: Object.fromEntries(consumes.map((type) => [type, {}])) }
  }
  const required = !mayLackBody(body)
  if (typeof body === 'object' && body !== null && 'content' in body)
    return { required: true, content: body.content as NonNullable<Content['content']> }
  return { required, content: { 'application/json': { schema: bodySchema(body as Schema) } } }
}

const outcomes: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it will be done soon.',
  304: 'Nothing has changed.',
}

const describeAnswer = (status: string, answer: object): Content => {
  const usual = outcomes[status] ?? 'The response.'
  if ('content' in answer) return { description: usual, ...(answer as Content) }
  const { type, description = usual } = answer as Schema
  if (type === 'null') return { description }
  return { description: usual, content: { 'application/json': { schema: answer } } }
}

/** A route as an operation of the document. */
export const describeOperation = (schema: RouteSchema): Operation => {
  const { params, querystring, headers, body: _b, consumes: _c, hide: _h, response = {}, ...words } = schema
  const parameters = [
    ...parametersIn('path', params),
    ...parametersIn('query', querystring),
    ...parametersIn('header', headers),
  ]
  const requestBody = describeBody(schema)
  return {
    ...words,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: Object.fromEntries(
      Object.entries(response).map(([status, answer]) => [status, describeAnswer(status, answer)]),
    ),
  }
}

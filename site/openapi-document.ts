/** A JSON schema, as far as the reference shows one. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** A parameter of an operation. */
export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

/** What a body may be, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>

/** An operation that merchants call. */
export type MerchantOperation = {
  readonly id: string
  readonly tag: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly scope: string | undefined
  readonly parameters: readonly Parameter[]
  readonly body: Content | undefined
  readonly answers: readonly { readonly status: string; readonly content: Content | undefined }[]
  readonly refusals: readonly { readonly status: string; readonly code: string }[]
}

/** What merchants can ask of the API, in the order of its document. */
export type MerchantApi = {
  /** What the operations with a tag are about, by the tag. */
  readonly tags: ReadonlyMap<string, string>
  readonly operations: readonly MerchantOperation[]
}

type Operation = {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
  readonly 'x-scope'?: string
}

type Document = {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/**
 * A part of a document with what its references lead to in place of them; what is next to a reference replaces what it
 * leads to. None of ours is circular.
 */
export const withReferences = (part: unknown, document: object): unknown => {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((each) => withReferences(each, document))
  const { $ref: reference, ...others } = part as { $ref?: string }
  const own = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, withReferences(each, document)]))
  if (reference === undefined) return own
  const steps = reference.slice('#/'.length).split('/')
  const found = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document)
  return { ...(withReferences(found, document) as object), ...own }
}

/** The codes of a response: a refusal is a problem whose code is one of these. */
const codesIn = (content: Content | undefined): readonly string[] =>
  (content?.['application/problem+json']?.schema?.allOf?.at(-1)?.properties?.['code']?.enum ?? []).map(String)

const describe = (id: string, method: string, path: string, operation: Operation): MerchantOperation => {
  const responses = Object.entries(operation.responses ?? {}).map(([status, { content }]) => ({ status, content }))
  return {
    id,
    tag: operation.tags?.[0] ?? 'payments',
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? id,
    description: operation.description ?? '',
    scope: operation['x-scope'],
    parameters: operation.parameters ?? [],
    body: operation.requestBody?.content,
    answers: responses.filter(({ status }) => status < '300'),
    refusals: responses.flatMap(({ status, content }) => codesIn(content).map((code) => ({ status, code }))),
  }
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** What an OpenAPI document says about the operations that a merchant's token may call. */
export const readMerchantApi = (document: object): MerchantApi => {
  const { tags = [], paths = {} } = document as Document
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const given = item[method]
      if (!given?.operationId || !given.security?.some((each) => 'merchant' in each)) return []
      return [describe(given.operationId, method, path, withReferences(given, document) as Operation)]
    }),
  )
  const about = new Map(tags.map(({ name, description = '' }) => [name, description]))
  return { tags: new Map(operations.map(({ tag }) => [tag, about.get(tag) ?? ''])), operations }
}

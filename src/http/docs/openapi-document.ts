/** A JSON schema, as far as the reference shows one. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** A parameter of an operation. */
export type Parameter = {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

/** What a body may be, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>

type Answer = { readonly $ref?: string; readonly description?: string; readonly content?: Content }

export type Operation = {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly $ref?: string; readonly required?: boolean; readonly content?: Content }
  readonly responses?: Readonly<Record<string, Answer>>
  readonly 'x-scope'?: string
}

/** The OpenAPI document, as far as the reference shows it. */
export type OpenApiDocument = {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** An operation that merchants call, with its address. */
export type MerchantOperation = {
  readonly id: string
  readonly tag: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Follows references within the document until there is none; what is next to a reference replaces what it leads to. */
export const resolveIn =
  (document: OpenApiDocument) =>
  <T extends { readonly $ref?: string }>(given: T): T => {
    let value = given
    while (value.$ref !== undefined) {
      const { $ref, ...own } = value
      const keys = $ref.replace(/^#\//, '').split('/')
      const found = keys.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document)
      value = { ...(found as T), ...own }
    }
    return value
  }

/** The operations that a merchant's token may call, in the order of the document. */
export const merchantOperations = ({ paths = {} }: OpenApiDocument): readonly MerchantOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined
      if (!operation?.operationId || !operation.security?.some((each) => 'merchant' in each)) return []
      return [{ id: operation.operationId, tag: operation.tags?.[0] ?? 'payments', method, path, operation }]
    }),
  )

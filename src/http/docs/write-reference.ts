import { describeFields, describeValue, exampleOf, type Field } from './describe-schema.ts'
import {
  type Content,
  type MerchantOperation,
  merchantOperations,
  type OpenApiDocument,
  type Parameter,
  resolveIn,
  type Schema,
} from './openapi-document.ts'
import { writeSamples } from './write-samples.ts'
import { writeTable } from './write-table.ts'

const rowOf = ({ name, type, required, about }: Field): readonly string[] => [
  `\`${name}\``,
  type + (required ? ', required' : ''),
  about,
]

const parametersOf = ({ operation }: MerchantOperation, document: OpenApiDocument): string => {
  const resolve = resolveIn(document)
  const rows = (operation.parameters ?? []).map((given) => {
    const each: Parameter = resolve(given)
    const { type, about } = describeValue(each.schema ?? {}, resolve)
    const own = each.description
    const words = own === undefined || about.startsWith(own) ? about : `${own} ${about}`
    return [`\`${each.name}\``, `${type}, ${each.in}${each.required ? ', required' : ''}`, words]
  })
  return writeTable(['parameter', 'type', 'meaning'], rows)
}

/** The row of a response's field. All fields are present, except those that it calls optional. */
const answerRow = ({ name, type, required, about }: Field): readonly string[] => [
  `\`${name}\``,
  type + (required ? '' : ', optional'),
  about,
]

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const bodyOf = (content: Content | undefined, document: OpenApiDocument, part: 'request' | 'answer'): string => {
  const resolve = resolveIn(document)
  const schema: Schema | undefined = content?.['application/json']?.schema
  if (!schema) {
    const types = Object.keys(content ?? {})
    return types.length === 0 ? '' : `${types.map((type) => `\`${type}\``).join(', ')}.`
  }
  const fields = describeFields(schema, resolve)
  const rows = fields.map(part === 'request' ? rowOf : answerRow)
  const example = part === 'answer' ? json(exampleOf(content, resolve, true)) : ''
  return [writeTable(['field', 'type', 'meaning'], rows), example].filter((text) => text !== '').join('\n\n')
}

type Refused = { readonly allOf?: readonly { readonly properties?: { readonly code?: Schema } }[] }

/** The codes with which an operation refuses, with their statuses. */
const refusalsOf = (
  { operation }: MerchantOperation,
  document: OpenApiDocument,
): readonly [string, readonly string[]][] => {
  const resolve = resolveIn(document)
  return Object.entries(operation.responses ?? {}).flatMap(([status, given]): [string, readonly string[]][] => {
    const schema = resolve(given).content?.['application/problem+json']?.schema
    const codes =
      (schema && (resolve(schema) as Refused).allOf?.flatMap(({ properties }) => properties?.code?.enum ?? [])) ?? []
    return codes.length === 0 ? [] : [[status, codes.map(String)]]
  })
}

const answersOf = (operation: MerchantOperation, document: OpenApiDocument): string => {
  const resolve = resolveIn(document)
  const found = Object.entries(operation.operation.responses ?? {}).filter(([status]) => status < '300')
  const bodies = found.map(([status, given]) => ({ status, body: bodyOf(resolve(given).content, document, 'answer') }))
  return [...Map.groupBy(bodies, ({ body }) => body)]
    .map(([body, all]) => `**Response** ${all.map(({ status }) => `\`${status}\``).join(' or ')}\n\n${body}`)
    .join('\n\n')
}

const section = (operation: MerchantOperation, document: OpenApiDocument, everywhere: ReadonlySet<string>): string => {
  const { method, path, operation: own } = operation
  const resolve = resolveIn(document)
  const scope = own['x-scope']
  const request = bodyOf(own.requestBody && resolve(own.requestBody).content, document, 'request')
  const refusals = refusalsOf(operation, document).flatMap(([status, codes]) =>
    codes.filter((code) => !everywhere.has(code)).map((code) => `[\`${code}\`](errors.md#${code}) (${status})`),
  )
  return [
    `## ${own.summary ?? operation.id}`,
    `\`\`\`http\n${method.toUpperCase()} ${path}\n\`\`\``,
    own.description ?? '',
    scope === undefined ? '' : `Scope of the token: \`${scope}\`.`,
    parametersOf(operation, document),
    request === '' ? '' : `**Body**\n\n${request}`,
    writeSamples(operation, document),
    answersOf(operation, document),
    refusals.length === 0
      ? ''
      : `**Refusals** ${refusals.join(', ')}, and [those of every operation](errors.md#of-every-operation).`,
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** The codes with which an operation refuses. */
export const codesOfOperation = (operation: MerchantOperation, document: OpenApiDocument): readonly string[] =>
  refusalsOf(operation, document).flatMap(([, codes]) => codes)

/** The codes that every operation of merchants has. */
export const codesEverywhere = (document: OpenApiDocument): ReadonlySet<string> => {
  const [first, ...others] = merchantOperations(document).map((each) => new Set(codesOfOperation(each, document)))
  return others.reduce((common, codes) => common.intersection(codes), first ?? new Set<string>())
}

/** The tags of the operations of merchants, in their order. */
export const referenceTags = (document: OpenApiDocument): readonly string[] => [
  ...new Set(merchantOperations(document).map(({ tag }) => tag)),
]

/** The reference of the operations with a tag. */
export const writeReference = (tag: string, document: OpenApiDocument): string => {
  const everywhere = codesEverywhere(document)
  const about = document.tags?.find(({ name }) => name === tag)?.description ?? ''
  const operations = merchantOperations(document).filter((each) => each.tag === tag)
  const title = tag.charAt(0).toUpperCase() + tag.slice(1)
  return [`# API: ${title}`, about, ...operations.map((each) => section(each, document, everywhere))].join('\n\n')
}

/** A table of all operations of merchants, with links to their descriptions. */
export const writeOperations = (document: OpenApiDocument, anchorOf: (heading: string) => string): string =>
  writeTable(
    ['operation', 'request'],
    merchantOperations(document).map(({ id, tag, method, path, operation: { summary = id } }) => [
      `[${summary}](api-${tag}.md#${anchorOf(summary)})`,
      `\`${method.toUpperCase()} ${path}\``,
    ]),
  )

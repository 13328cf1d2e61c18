import { describeFields, describeValue, exampleOf } from './describe-schema.ts'
import type { Content, MerchantApi, MerchantOperation, Parameter } from './openapi-document.ts'
import { asAnchor } from './render-markdown.ts'
import { writeSamples } from './write-samples.ts'
import { writeTable } from './write-table.ts'

const parameterRow = ({ name, in: part, required, description, schema = {} }: Parameter): readonly string[] => {
  const { type, about } = describeValue(schema)
  const words = description === undefined || about.startsWith(description) ? about : `${description} ${about}`
  return [`\`${name}\``, `${type}, ${part}${required ? ', required' : ''}`, words]
}

/** What a field's type is followed by: all fields of a response are present, except those that it calls optional. */
const marks = {
  request: (required: boolean) => (required ? ', required' : ''),
  answer: (required: boolean) => (required ? '' : ', optional'),
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const notEmpty = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

const writeBody = (content: Content = {}, part: keyof typeof marks): string => {
  const schema = content['application/json']?.schema
  if (!schema) {
    const types = Object.keys(content).map((type) => `\`${type}\``)
    return types.length === 0 ? '' : `${types.join(', ')}.`
  }
  const rows = describeFields(schema).map(({ name, type, required, about }) => [
    `\`${name}\``,
    type + marks[part](required),
    about,
  ])
  return notEmpty([
    writeTable(['field', 'type', 'meaning'], rows),
    part === 'answer' ? json(exampleOf(schema, true)) : '',
  ])
}

const writeAnswers = ({ answers }: MerchantOperation): string => {
  const bodies = answers.map(({ status, content }) => ({ status, body: writeBody(content, 'answer') }))
  return [...Map.groupBy(bodies, ({ body }) => body)]
    .map(([body, all]) => `**Response** ${all.map(({ status }) => `\`${status}\``).join(' or ')}\n\n${body}`)
    .join('\n\n')
}

const writeOperation = (operation: MerchantOperation, everywhere: ReadonlySet<string>): string => {
  const { method, path, summary, description, scope, parameters, body } = operation
  const request = writeBody(body, 'request')
  const refusals = operation.refusals
    .filter(({ code }) => !everywhere.has(code))
    .map(({ status, code }) => `[\`${code}\`](errors.md#${code}) (${status})`)
  return notEmpty([
    `## ${summary}`,
    `\`\`\`http\n${method} ${path}\n\`\`\``,
    description,
    scope === undefined ? '' : `Scope of the token: \`${scope}\`.`,
    writeTable(['parameter', 'type', 'meaning'], parameters.map(parameterRow)),
    request === '' ? '' : `**Body**\n\n${request}`,
    writeSamples(operation),
    writeAnswers(operation),
    refusals.length === 0
      ? ''
      : `**Refusals** ${refusals.join(', ')}, and [those of every operation](errors.md#of-every-operation).`,
  ])
}

/** The codes that every operation has. */
export const codesEverywhere = ({ operations }: MerchantApi): ReadonlySet<string> => {
  const [first, ...others] = operations.map(({ refusals }) => new Set(refusals.map(({ code }) => code)))
  return others.reduce((common, codes) => common.intersection(codes), first ?? new Set<string>())
}

/** The reference of the operations with a tag. */
export const writeReference = (tag: string, api: MerchantApi): string => {
  const everywhere = codesEverywhere(api)
  const title = tag.charAt(0).toUpperCase() + tag.slice(1)
  const operations = api.operations.filter((each) => each.tag === tag)
  return [
    `# API: ${title}`,
    api.tags.get(tag) ?? '',
    ...operations.map((each) => writeOperation(each, everywhere)),
  ].join('\n\n')
}

/** A table of all operations, with links to their descriptions. */
export const writeOperations = ({ operations }: MerchantApi): string =>
  writeTable(
    ['operation', 'request'],
    operations.map(({ tag, method, path, summary }) => [
      `[${summary}](api-${tag}.md#${asAnchor(summary)})`,
      `\`${method} ${path}\``,
    ]),
  )

// What is generated from the code's tables and the OpenAPI document.
import { errorCodes } from '../src/rules/error-codes.ts'

type Operation = {
  readonly operationId?: string
  readonly summary: string
  readonly 'x-duty'?: string
  readonly 'x-scope'?: string
}

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** A Markdown table whose columns are padded like those of the formatter. */
export const table = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const texts = [headings, ...rows].map((cells) => cells.map(String))
  const widths = headings.map((_, column) => Math.max(3, ...texts.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = texts
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const asClause = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1)

/** A word that is set as code. */
export const code = (word: string): string => `\`${word}\``

/** The operations of the OpenAPI document, in its order. */
export const operationsOf = (openApi: string): readonly Operation[] =>
  Object.values((JSON.parse(openApi) as Document).paths).flatMap((methods) => Object.values(methods))

/** The text of `docs/errors.md`: every error code. */
export const errorsDocument = (): string => {
  const rows = Object.entries(errorCodes).toSorted(([, a], [, b]) => a.status - b.status)
  return `# Error codes

Generated from \`src/rules/error-codes.ts\` by \`npm run generate\`.

Every refusal is \`application/problem+json\` with a \`code\` from this list ([its other fields](domain.md#51-the-body)).
Programs decide by \`code\`: \`title\` and \`detail\` are for people. Treat a code that your program does not know by its HTTP
status. [The OpenAPI document](openapi.json) lists the codes of each operation.

Unless _what to do_ says so, send the same request again only after something has changed. \`Retry-After\` is in seconds.

${table(
  ['status', 'code', 'when', 'what to do'],
  rows.map(([name, { status, title, when = asClause(title), remedy }]) => [status, code(name), when, remedy]),
)}
`
}

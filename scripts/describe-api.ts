// The API documents that are generated from the code's tables and the OpenAPI document.
import { scopes, scopesOfGrant, duties, type Role, roles } from '../src/rules/members/access.ts'
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
const table = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const texts = [headings, ...rows].map((cells) => cells.map(String))
  const widths = headings.map((_, column) => Math.max(3, ...texts.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = texts
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const asClause = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1)

const code = (word: string): string => `\`${word}\``

const operationsOf = (openApi: string): readonly Operation[] =>
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

/** What each duty covers. */
const aboutDuties: Readonly<Record<keyof typeof duties, string>> = {
  read: 'read everything, preview decisions',
  support: 'care for payers and merchants; nothing here credits anybody',
  decide: 'decide which payment money is for, who is refused, and which accounts take money',
  reveal: 'view in full the numbers that are masked everywhere else, each with a reason',
  reconcile: 'import what banks report, set what accounts held, and say what outgoing money was for',
  account: 'rates, settlements, adjustments, overpayments',
  configure: 'merchants with their tokens, terms, limits and endpoints; accounts, sources, banks, rules, channels',
}

/** The text of `docs/roles.md`: who may call which operation. */
export const rolesDocument = (openApi: string): string => {
  const operations = operationsOf(openApi)
  const listBy = (key: 'x-duty' | 'x-scope', words: readonly string[]): string =>
    words
      .map((word) => {
        const found = operations.filter((each) => each[key] === word).map(({ operationId }) => code(operationId ?? ''))
        return `- **${word}**: ${found.join(', ')}`
      })
      .join('\n')
  return `# Roles and scopes

Generated from \`src/rules/members/access.ts\` and the operations by \`npm run generate\`.
[The OpenAPI document](openapi.json) says what each operation does, with its roles as \`x-roles\`.

An operator's token has a role: \`PAYIN_OPERATOR_TOKENS=anna/owner:…,boris/support:…\`. A token without a role, and
\`PAYIN_OPERATOR_TOKEN\`, is an owner's. An operation that the role does not allow is refused with \`role_missing\`;
\`payin whoami\` shows your role. An operation that needs two people needs two of them, whatever their roles
([who counts](domain.md#85-settlements)).

${table(
  ['duty', ...roles.map(code), 'what it covers'],
  Object.entries(duties).map(([duty, allowed]) => [
    duty,
    ...roles.map((role) => ((allowed as readonly Role[]).includes(role) ? 'yes' : '')),
    aboutDuties[duty as keyof typeof duties],
  ]),
)}

## Operations of the operator API, by duty

- **read**: everything else
${listBy(
  'x-duty',
  Object.keys(duties).filter((duty) => duty !== 'read'),
)}

## Operations of the merchant API, by scope

A token has scopes. A member of a merchant has a grant instead, and none of the roles above: \`read\` has the scopes
${scopesOfGrant.read.map(code).join(', ')}; \`write\` adds ${scopesOfGrant.write
    .filter((scope) => !scopesOfGrant.read.includes(scope))
    .map(code)
    .join(' and ')},
but only a token can create payments.

${listBy('x-scope', scopes)}
`
}

// The API documents that are generated from the code's tables and the OpenAPI document.
import { scopesOfGrant } from '../src/domain/access.ts'
import { duties, type Role, roles } from '../src/domain/role.ts'
import type { ErrorCode } from '../src/http/error-code.ts'
import { errorCodes } from '../src/http/error-codes.ts'

type Operation = {
  readonly operationId?: string
  readonly summary: string
  readonly 'x-duty'?: string
  readonly 'x-scope'?: string
  readonly responses: Readonly<Record<string, { $ref?: string }>>
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

const code = (word: string): string => `\`${word}\``

const operationsOf = (openApi: string): readonly Operation[] =>
  Object.values((JSON.parse(openApi) as Document).paths).flatMap((methods) => Object.values(methods))

/** The error codes of an operation, by the names of the shared answers. */
const refusalsOf = ({ responses }: Operation): readonly string[] =>
  Object.values(responses).flatMap(({ $ref }) => $ref?.split('/').at(-1)?.split('.').slice(1) ?? [])

const interfaces = { merchant: 'the merchant API', operator: 'the operator API', feed: 'bank feeds' } as const

const placeOf = (where: ErrorCode['where'], operations: readonly string[]): string => {
  if (where === 'server') return 'every request'
  if (where === undefined) return operations.map(code).join(', ')
  return `all of ${where.map((each) => interfaces[each]).join(', ')}`
}

/** The text of `docs/errors.md`: every error code, and where it occurs. */
export const errorsDocument = (openApi: string): string => {
  const operations = operationsOf(openApi)
  const rows = Object.entries(errorCodes).toSorted(([, a], [, b]) => a.status - b.status)
  const namesOf = (name: string): readonly string[] =>
    operations.filter((each) => refusalsOf(each).includes(name)).map(({ operationId }) => operationId ?? '')
  return `# Error codes

Generated from \`src/http/error-codes.ts\` by \`npm run generate\`.

Every refusal is \`application/problem+json\` with a \`code\` from this list ([its other fields](domain.md#51-the-body)).
Programs decide by \`code\`: \`title\` and \`detail\` are for people. Treat a code that your program does not know by its HTTP
status.

**Again** says when you may send the same request again. \`no\`: only after something has changed. \`Retry-After\`: after
the seconds in that header. \`at once\`: immediately; nothing was done, or repeating does no harm.

${table(
  ['status', 'code', 'when', 'again', 'what to do'],
  rows.map(([name, { status, when, retry, remedy }]) => [
    status,
    code(name),
    when,
    retry === 'after Retry-After' ? '`Retry-After`' : (retry ?? 'no'),
    remedy,
  ]),
)}

## Where each code occurs

Operations have their names from the OpenAPI document.

${rows.map(([name, { where }]) => `- ${code(name)}: ${placeOf(where, namesOf(name))}`).join('\n')}
`
}

/** What each duty covers. */
const aboutDuties: Readonly<Record<keyof typeof duties, string>> = {
  read: 'read everything, preview decisions',
  support: 'care for payers and merchants; nothing here credits anybody',
  decide: 'decide which payment money is for, who is refused, and which accounts take money',
  reveal: 'view in full the numbers that are masked everywhere else, each with a reason',
  reconcile: 'import what banks report, and say what outgoing money was for',
  account: 'rates, settlements, adjustments, overpayments, balances',
  configure: 'merchants with their tokens, terms, limits and endpoints; accounts, sources, banks, rules, channels',
}

/** The text of `docs/roles.md`: who may call which operation. */
export const rolesDocument = (openApi: string): string => {
  const operations = operationsOf(openApi)
  const ofOperators = operations.filter((each) => each['x-duty'])
  const ofMerchants = operations.filter((each) => each['x-scope'])
  return `# Roles and scopes

Generated from \`src/domain/role.ts\` and the operations by \`npm run generate\`. The OpenAPI document has the roles of
each operation as \`x-roles\`, its duty as \`x-duty\` and the scope as \`x-scope\`.

An operator's token has a role: \`PAYIN_OPERATOR_TOKENS=anna/owner:…,boris/support:…\`. A token without a role, and
\`PAYIN_OPERATOR_TOKEN\`, is an owner's. An operation that the role does not allow is refused with \`role_missing\`;
\`payin whoami\` shows your role. An operation that needs two people needs two of them, whatever
their roles ([who counts](domain.md#85-settlements)).

A member of a merchant has none of these roles and cannot use the operator API. Instead it has a grant for the merchant
API: \`read\` is ${scopesOfGrant.read.map(code).join(', ')}; \`write\` adds
${scopesOfGrant.write
  .filter((scope) => !scopesOfGrant.read.includes(scope))
  .map(code)
  .join(' and ')}, but
only a token can create payments.

${table(
  ['duty', ...roles.map(code), 'what it covers'],
  Object.entries(duties).map(([duty, allowed]) => [
    duty,
    ...roles.map((role) => ((allowed as readonly Role[]).includes(role) ? 'yes' : '')),
    aboutDuties[duty as keyof typeof duties],
  ]),
)}

## Operations of the operator API

${table(
  ['operation', 'duty', 'what it does'],
  ofOperators.map((each) => [code(each.operationId ?? ''), each['x-duty'] ?? '', each.summary]),
)}

## Operations of the merchant API

${table(
  ['operation', 'scope', 'what it does'],
  ofMerchants.map((each) => [code(each.operationId ?? ''), code(each['x-scope'] ?? ''), each.summary]),
)}
`
}

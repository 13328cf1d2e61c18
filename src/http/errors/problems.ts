import { Type } from '../../operations/schema.ts'
import type { RefusalCode } from '../../rules/refusal.ts'
import { shortageReasons } from '../../rules/requisites/requisite-shortage.ts'
import { errorCodes, fieldCodes } from '../../rules/error-codes.ts'

const ErrorCode = Type.OneOf(Object.keys(errorCodes), {
  title: 'ErrorCode',
  description: 'Why it was refused, for programs. Treat a code that your program does not know by its HTTP status.',
  examples: ['validation_failed'],
})

/** Members of a code's example that differ from the usual ones. */
const inExamples: Partial<Record<RefusalCode, object>> = {
  malformed_json: { detail: 'The body is not well-formed JSON: error at position 57.' },
  validation_failed: {
    detail: 'amount is required. currency must be a currency code of three small letters, such as rub.',
    errors: [
      { field: 'amount', code: 'required', message: 'is required.' },
      { field: 'currency', code: 'invalid', message: 'must be a currency code of three small letters, such as rub.' },
    ],
  },
  order_conflict: {
    detail: 'There is already another payment with this orderId; different: amount.',
    errors: [{ field: 'amount', code: 'order_conflict', message: 'differs from the first request.' }],
  },
  payment_not_found: { detail: 'There is no payment with this orderId.' },
  status_changed: { detail: 'The status is now disput-paid, not paid; read it again.' },
  requisites_unavailable: {
    detail:
      'All 3 receiving accounts that fit already hold a payment of exactly 5000.37 rub. One is expected to be free at 2026-01-31T13:45:00.000Z.',
    reason: 'slot-taken',
  },
  ambiguous: {
    detail: 'Two merchants have this name.',
    candidates: [
      { id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10', about: 'merchant Shop, live' },
      { id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a11', about: 'merchant Shop, sandbox' },
    ],
  },
  statement_refused: {
    detail: 'The statement has 1 fault, in line 12: the amount is missing.',
    statementId: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a12',
    errors: [{ field: 'line 12', code: 'statement_refused', message: 'the amount is missing.' }],
  },
}

/** A refusal with each code, for the components of the OpenAPI document. */
export const problemExamples = Object.fromEntries(
  (Object.entries(errorCodes) as [RefusalCode, (typeof errorCodes)[RefusalCode]][]).map(([code, each]) => [
    code,
    {
      summary: each.title,
      value: {
        type: `urn:payin:problem:${code}`,
        title: each.title,
        status: each.status,
        detail: each.remedy,
        code,
        requestId: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6aff',
        ...inExamples[code],
      },
    },
  ]),
)

/** Schema of a refusal (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ examples: ['urn:payin:problem:validation_failed'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: ErrorCode,
    requestId: Type.String(),
    'errors?': Type.Array(
      Type.Object({
        field: Type.String(),
        code: Type.Text(`\`${fieldCodes.join('`, `')}\`, or a code of refusals such as \`amount_precision\`.`),
        message: Type.String(),
      }),
    ),
    'statementId?': Type.Text('The refused statement, which stays in the history.'),
    'candidates?': Type.Rows('What the ambiguous name may mean.', { id: Type.String(), about: Type.String() }),
    'reason?': Type.OneOf(
      shortageReasons,
      'With `requisites_unavailable`: why most of the receiving accounts are not free.',
    ),
  },
  {
    examples: [problemExamples['validation_failed']?.value],
    title: 'Problem',
    description: 'Why a request was refused (RFC 9457).',
  },
)

/** Headers of refusals, for the components of the OpenAPI document. */
export const problemHeaders = {
  'Retry-After': {
    description: 'Seconds after which the same request may be sent again.',
    schema: { type: 'integer', minimum: 1, examples: [5] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: { type: 'string', examples: ['Bearer realm="payin"'] },
  },
  Allow: {
    description: 'The methods of this address.',
    schema: { type: 'string', examples: ['GET, HEAD, POST'] },
  },
}

const headersOf = (status: number, codes: readonly RefusalCode[]): readonly (keyof typeof problemHeaders)[] => [
  ...(codes.some((code) => errorCodes[code].retry === 'after Retry-After') ? (['Retry-After'] as const) : []),
  ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 405 ? (['Allow'] as const) : []),
]

/** The response of refusals with one status, for the OpenAPI document. */
export const describeRefusals = (status: number, codes: readonly RefusalCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}. ${errorCodes[code].remedy}`).join('\n\n'),
  headers: Object.fromEntries(headersOf(status, codes).map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [Problem, { type: 'object', properties: { status: { const: status }, code: { enum: [...codes] } } }],
      },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})

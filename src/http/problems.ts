import { Type } from 'typebox'

/** Schema of a refusal (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ examples: ['urn:payin:problem:validation_failed'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ examples: ['validation_failed'] }),
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() })),
    ),
    statementId: Type.Optional(Type.String({ description: 'The refused statement, which stays in the history.' })),
    candidates: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), about: Type.String() }), {
        description: 'What an ambiguous name may mean.',
      }),
    ),
    alternatives: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), value: Type.Union([Type.String(), Type.Number()]) })),
    ),
  },
  { $id: 'Problem', title: 'Problem', description: 'Why a request was refused (RFC 9457).' },
)

type ProblemResponse = {
  readonly description: string
  readonly content: { readonly 'application/problem+json': { readonly schema: { readonly $ref: string } } }
}

/** Statuses with which every authenticated operation, or the server before it, may refuse. */
const commonStatuses = [400, 401, 403, 404, 405, 408, 413, 415, 417, 429, 431, 500, 503] as const

/** Statuses with which the server refuses before any operation sees the request. */
const serverStatuses = [400, 408, 413, 415, 417, 431] as const

const respond = (status: number): [number, ProblemResponse] => [
  status,
  { description: `Refused (${status}).`, content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } },
]

/** Refusals for the `response` of a route that needs no token. */
export const serverProblems = (): Record<number, ProblemResponse> => Object.fromEntries(serverStatuses.map(respond))

/** Refusals for the `response` of a route's schema: the statuses of every authenticated operation, and more. */
export const problems = <S extends number = never>(
  ...more: readonly S[]
): Record<(typeof commonStatuses)[number] | S, ProblemResponse> => {
  const responses = [...commonStatuses, ...more].map(respond)
  return Object.fromEntries(responses) as ReturnType<typeof problems<S>>
}

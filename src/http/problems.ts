import { Type } from 'typebox'
import type { RefusalCode } from '../domain/refusal.ts'
import { serverCodes } from './codes-of.ts'
import { errorCodes } from './error-codes.ts'

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

/** The answer of refusals with one status, for the `response` of a route's schema. */
type ProblemResponse = {
  readonly description: string
  readonly content: { readonly 'application/problem+json': { readonly schema: object } }
}

const respond = (codes: readonly RefusalCode[]): ProblemResponse => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}. ${errorCodes[code].remedy}`).join('\n\n'),
  content: {
    'application/problem+json': {
      schema: { allOf: [{ $ref: 'Problem#' }, Type.Object({ code: Type.Enum([...codes]) })] },
    },
  },
})

/** Refusals with these codes by status, for the `response` of a route's schema. */
export const problems = (codes: ReadonlySet<RefusalCode>): Readonly<Record<number, ProblemResponse>> => {
  const byStatus = Map.groupBy([...codes].toSorted(), (code) => errorCodes[code].status)
  return Object.fromEntries([...byStatus].map(([status, own]) => [status, respond(own)]))
}

/** Refusals for the `response` of a route that needs no token. */
export const serverProblems = (): Readonly<Record<number, ProblemResponse>> => problems(new Set(serverCodes))

import type { Operation } from './describe-operation.ts'

const whole = { type: 'integer', minimum: 0 }

/** Headers of responses to merchants, for the components of the OpenAPI document. */
export const rateLimitHeaders: Readonly<Record<string, object>> = {
  'RateLimit-Policy': {
    description:
      'The limit of the access token: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: 'string', examples: ['"token";q=2000;w=1'] },
  },
  RateLimit: {
    description:
      'What remains of the limit: `r` requests for the next `t` seconds. Without a limit these headers are left out.',
    schema: { type: 'string', examples: ['"token";r=1999;t=1'] },
  },
  'RateLimit-Limit': {
    description: 'Requests that the access token may make in a second.',
    schema: { ...whole, examples: [2000] },
  },
  'RateLimit-Remaining': { description: 'Requests that remain.', schema: { ...whole, examples: [1999] } },
  'RateLimit-Reset': {
    description: 'Seconds until the full limit is available again.',
    schema: { ...whole, examples: [1] },
  },
}

const references = Object.fromEntries(
  Object.keys(rateLimitHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

/** An operation for merchants, with these headers in its successful responses. */
export const withRateLimits = (operation: Operation): Operation => {
  const responses = Object.entries(operation.responses).map(([status, answer]) => {
    if ('$ref' in answer || Number(status) >= 400) return [status, answer]
    return [status, { ...answer, headers: { ...answer.headers, ...references } }]
  })
  return { ...operation, responses: Object.fromEntries(responses) as Operation['responses'] }
}

import assert from 'node:assert/strict'
import type { RefusalCode } from '../../src/rules/refusal.ts'
import type { Answer } from './shop.ts'

type Refused = Omit<Answer, 'headers'> & { readonly headers: Pick<Headers, 'get'> }

/** Members that every problem has (docs/domain.md §5.1). */
const members = ['type', 'title', 'status', 'detail', 'code', 'requestId']

/** Fails unless the answer is a complete problem (RFC 9457) with this status, this code and these fields. */
export const assertProblem = (answer: Refused, status: number, code: RefusalCode, fields?: readonly string[]): void => {
  const { body, headers } = answer
  assert.deepEqual({ status: answer.status, code: body?.code }, { status, code }, JSON.stringify(body))
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json(; charset=utf-8)?$/)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(body.status, status)
  assert.equal(body.type, `urn:payin:problem:${code}`)
  for (const member of ['title', 'detail', 'requestId']) {
    assert.equal(typeof body[member], 'string')
    assert.notEqual(body[member], '')
  }
  const optional = ['errors', 'reason', 'candidates', 'statementId'].filter((member) => body[member])
  assert.deepEqual(Object.keys(body).toSorted(), [...members, ...optional].toSorted())
  for (const error of body.errors ?? []) {
    assert.deepEqual(Object.keys(error), ['field', 'code', 'message'])
    for (const text of Object.values(error)) assert.equal(typeof text, 'string')
    assert.notEqual(error.message, '')
  }
  if (fields) {
    const named = (body.errors ?? []).map((error: { field: string }) => error.field)
    assert.deepEqual(named.toSorted(), [...fields].toSorted())
  }
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer realm="payin"/)
  if (status === 405) assert.match(headers.get('allow') ?? '', /^[A-Z]+(, [A-Z]+)*$/)
  const mayWait = code === 'requisites_unavailable' && headers.get('retry-after') !== null
  if (status === 429 || status === 503 || mayWait) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal('reason' in body, code === 'requisites_unavailable')
  assert.equal(headers.get('access-control-allow-origin'), null)
}

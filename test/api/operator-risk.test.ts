import { test } from 'node:test'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareService } from '../support/shared-service.ts'

const opened = shareService()
const hour = 3_600_000

test('400: refuses blocks and rules that mean nothing', async () => {
  const operator = openOperator(opened())
  const reason = 'x'
  for (const [path, body, field] of [
    ['blocks', { kind: 'user', value: 'u', reason }, 'merchantId'],
    ['blocks', { kind: 'phone', value: 'abc', reason }, 'value'],
    ['blocks', { kind: 'card', value: '4111111111111112', reason }, 'value'],
    ['blocks', { kind: 'phone', value: '+79261234567', reason, endsAt: '2020-01-01T00:00:00Z' }, 'endsAt'],
    ['rules', { kind: 'user', windowMs: hour, reason }, 'maxCount'],
    ['rules', { kind: 'user', windowMs: hour, maxAmount: 1, reason }, 'currency'],
    ['rules', { kind: 'iban', windowMs: hour, maxCount: 1, reason }, 'kind'],
    ['rules', { kind: 'user', windowMs: 999, maxCount: 1, reason }, 'windowMs'],
  ] as const) {
    assertProblem(await operator.call('POST', `/risk/${path}`, body), 400, 'validation_failed', [field])
  }
})

test('404: tells that a merchant, a block or a rule does not exist', async () => {
  const operator = openOperator(opened())
  const block = { kind: 'user', value: 'u', merchantId: unknownId, reason: 'x' }
  assertProblem(await operator.call('POST', '/risk/blocks', block), 404, 'resource_not_found')
  assertProblem(await operator.call('POST', `/risk/blocks/${unknownId}/end`), 404, 'resource_not_found')
  assertProblem(await operator.call('POST', `/risk/rules/${unknownId}/end`), 404, 'resource_not_found')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberSource, parseJsonBody } from '../../src/http/routes/json-body.ts'

const literals = ['5000', '5000.37', '100.10', '100.0', '-0', '-1.5', '1e2', '1E+2', '1e-7', '0.0000001', '0.1']
const long = ['9007199254740993', '123456789012345.67', '0.10000000000000000555', '1e400']

test('the digits of a number are those that were sent, however the rest of the body is written', () => {
  for (const literal of [...literals, ...long]) {
    for (const rest of [
      '',
      ',"note":"a\\u0041"',
      ',"note":"1e5 \\" {["',
      ',"deep":[{"amount":1.10},2]',
      `,"note":"${'x'.repeat(5000)}"`,
    ]) {
      const body = parseJsonBody(Buffer.from(`{"list":[1,${literal}],"amount":${literal}${rest}}`)) as {
        list: number[]
      }
      assert.equal(numberSource(body, 'amount'), literal)
      assert.equal(numberSource(body.list, '1'), literal)
    }
  }
})

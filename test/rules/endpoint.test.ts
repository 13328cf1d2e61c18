import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEndpointUrl } from '../../src/rules/notices/endpoint.ts'
import { Refusal } from '../../src/rules/refusal.ts'

test('an endpoint on this machine that is not allowed is refused with the way that needs none', () => {
  const refused = readEndpointUrl('http://localhost:3000/payin', 'sandbox', {
    loopbackAllowed: false,
    mayBePublic: () => true,
  })
  assert.ok(refused instanceof Refusal)
  assert.match(JSON.stringify(refused), /PAYIN_NOTIFICATION_LOOPBACK\)\. payin listen --forward brings/)
})

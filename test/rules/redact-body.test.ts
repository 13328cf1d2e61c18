import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactAddress, redactBody, redactText } from '../../src/rules/values/redact-body.ts'

const uuid = '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'
const allDigits = '01912345-6789-7123-8456-123456789012'
const token = 'payin_test_a1B2c3D4e5F6g7H8i9J0k1L2'

const bodies: readonly (readonly [given: unknown, kept: unknown])[] = [
  [
    { amount: 5000.37, orderId: 'order-1', currency: 'rub' },
    { amount: 5000.37, orderId: 'order-1', currency: 'rub' },
  ],
  [
    { id: allDigits, orderId: '79991234567' },
    { id: allDigits, orderId: '79991234567' },
  ],
  [{ userId: '79991234567' }, { userId: '•••• 4567' }],
  [{ note: 'call +7 (999) 123-45-67' }, { note: 'call +•••• 4567' }],
  [{ note: '8.916.123.45.67 or 8–916–123–45–67' }, { note: '•••• 4567 or •••• 4567' }],
  [{ note: 'on 31.01.2026 at 12:30 for 1.234.567,80' }, { note: 'on 31.01.2026 at 12:30 for 1.234.567,80' }],
  [{ note: `see ${uuid} and ${allDigits}` }, { note: `see ${uuid} and ${allDigits}` }],
  [{ card: { pan: '40817810099910004312', phone: '79991234567' } }, { card: { pan: '•••• 4312', phone: '•••• 4567' } }],
  [
    { phone: 79991234567, cvv: 123 },
    { phone: '•••• 4567', cvv: '…' },
  ],
  [
    { metadata: { card: '4276 3800 1234 5678', '79991234567': 'x' } },
    { metadata: { card: '•••• 5678', '•••• 4567': 'x' } },
  ],
  [
    { redirectUrl: 'https://pay.example.com/abc/payment-sbp', secret: 'whsec_x' },
    { redirectUrl: '…', secret: '…' },
  ],
  [{ note: `my token is ${token}` }, { note: 'my token is payi…' }],
  [
    { createdAt: '2026-01-31T12:30:00.000Z', list: ['79991234567'] },
    { createdAt: '2026-01-31T12:30:00.000Z', list: ['•••• 4567'] },
  ],
  [
    { total: { amount: 123456789012.5 }, odd: 79991234567 },
    { total: { amount: 123456789012.5 }, odd: '•••• 4567' },
  ],
  [null, null],
]

for (const [given, kept] of bodies)
  test(`${JSON.stringify(given)} is kept as ${JSON.stringify(kept)}`, () =>
    assert.deepEqual(JSON.parse(redactBody(given)), kept))

test('a long body is cut', () => assert.equal(redactBody({ note: 'word '.repeat(2000) }).length, 4001))

test('the query of an address is redacted, its path where it names nothing', () => {
  assert.equal(
    redactAddress('/a/byOrderId/79991234567/status?wait=25', true),
    '/a/byOrderId/79991234567/status?wait=25',
  )
  assert.equal(redactAddress('/a/byOrderId/79991234567', false), '/a/byOrderId/•••• 4567')
  assert.equal(decodeURIComponent(redactAddress('/a?phone=79991234567&token=abc', true)), '/a?phone=•••• 4567&token=…')
})

test('what stays of a text has no nine digits in a row', () => {
  for (const digits of ['123456789', '1 2 3 4 5 6 7 8 9 0', '9'.repeat(60), `a${'1'.repeat(24)}b`])
    assert.doesNotMatch(redactText(digits), /(?:\d[ ()-]{0,2}){9}/)
})

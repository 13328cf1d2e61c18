import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentRequest } from '../../src/rules/payments/payment.ts'
import { readPaymentRequest, type RequestRules, type WireRequest } from '../../src/rules/payments/payment-request.ts'
import { Refusal } from '../../src/rules/refusal.ts'

const rules: RequestRules = {
  limits: new Map([
    ['rub', { currency: 'rub', min: 100_00n, max: 300_000_00n }],
    ['jpy', { currency: 'jpy', min: 100n, max: 1_000_000n }],
  ]),
  settings: { returnHosts: ['shop.test', 'shop.test:8443'] },
  isBankIssuer: (code) => code === 'bank-a',
}
const wire: WireRequest = { type: 'direct', amount: '5000', orderId: 'order', currency: 'rub', method: 'sbp' }

const read = (fields: Partial<WireRequest>) => readPaymentRequest({ ...wire, ...fields }, rules)

const whole: PaymentRequest = {
  type: 'direct',
  method: 'sbp',
  amount: 5000_00n,
  currency: 'rub',
  orderId: 'order',
  sbpEnabled: false,
  transferScope: null,
  bankIssuer: null,
  userId: null,
  returnUrl: null,
  locale: null,
  metadata: null,
}

const accepted: readonly (readonly [title: string, fields: Partial<WireRequest>, request: Partial<PaymentRequest>])[] =
  [
    ['the least', {}, {}],
    ['sbpEnabled without a method', { method: undefined, sbpEnabled: true }, { sbpEnabled: true }],
    ['sbpEnabled false with another method', { method: 'card-to-card', sbpEnabled: false }, { method: 'card-to-card' }],
    [
      'sbpEnabled with another method',
      { method: 'card-to-card', sbpEnabled: true },
      { method: 'card-to-card', sbpEnabled: true },
    ],
    [
      'by-phone',
      { method: 'by-phone', transferScope: 'international' },
      { method: 'by-phone', transferScope: 'international' },
    ],
    [
      'account-to-account, staged',
      { method: 'account-to-account', type: 'staged' },
      { method: 'account-to-account', type: 'staged' },
    ],
    ['the smallest amount', { amount: '100' }, { amount: 100_00n }],
    ['the largest amount', { amount: '300000.00' }, { amount: 300_000_00n }],
    ['an exponent', { amount: '1e2' }, { amount: 100_00n }],
    ['minor units', { amount: '5000.37' }, { amount: 5000_37n }],
    ['yen', { currency: 'jpy', amount: '5001' }, { currency: 'jpy', amount: 5001n }],
    ['a bank', { bankIssuer: 'bank-a' }, { bankIssuer: 'bank-a' }],
    ['a user and a locale', { userId: 'u', locale: 'ru' }, { userId: 'u', locale: 'ru' }],
    ['a returnUrl', { returnUrl: 'https://shop.test/back?a=1' }, { returnUrl: 'https://shop.test/back?a=1' }],
    ['a returnUrl with a port', { returnUrl: 'https://shop.test:8443/' }, { returnUrl: 'https://shop.test:8443/' }],
  ]

for (const [title, fields, request] of accepted) {
  test(`accepted: ${title}`, () => assert.deepEqual(read(fields), { ...whole, ...request }))
}

const refused: readonly (readonly [title: string, fields: Partial<WireRequest>, errors: readonly string[]])[] = [
  ['an unknown currency', { currency: 'eur' }, ['currency currency_not_supported']],
  ['a currency in capitals', { currency: 'RUB' }, ['currency currency_not_supported']],
  ['one minor unit too little', { amount: '99.99' }, ['amount amount_below_min']],
  ['nothing', { amount: '0' }, ['amount amount_below_min']],
  ['minus zero', { amount: '-0' }, ['amount amount_below_min']],
  ['less than nothing', { amount: '-5000' }, ['amount amount_below_min']],
  ['far less than nothing', { amount: '-1e20' }, ['amount amount_below_min']],
  ['one minor unit too much', { amount: '300000.01' }, ['amount amount_above_max']],
  ['far too much', { amount: '1e309' }, ['amount amount_above_max']],
  ['more than a double holds', { amount: '9007199254740993' }, ['amount amount_above_max']],
  ['a part of a minor unit', { amount: '100.001' }, ['amount amount_precision']],
  ['next to nothing', { amount: '1e-7' }, ['amount amount_precision']],
  ['half a yen', { currency: 'jpy', amount: '500.5' }, ['amount amount_precision']],
  ['by-phone without a scope', { method: 'by-phone' }, ['transferScope transfer_scope_required']],
  ['a scope without by-phone', { transferScope: 'international' }, ['transferScope transfer_scope_not_allowed']],
  ['an unknown bank', { bankIssuer: 'bank-z' }, ['bankIssuer bank_issuer_unknown']],
  ['a returnUrl elsewhere', { returnUrl: 'https://other.test/' }, ['returnUrl validation_failed']],
  ['a returnUrl with another port', { returnUrl: 'https://shop.test:1/' }, ['returnUrl validation_failed']],
  ['a returnUrl with a user', { returnUrl: 'https://u@shop.test/' }, ['returnUrl validation_failed']],
  ['a returnUrl that hides its host', { returnUrl: 'https://shop.test@other.test/' }, ['returnUrl validation_failed']],
  ['a returnUrl that is a program', { returnUrl: 'javascript:alert(1)//shop.test' }, ['returnUrl validation_failed']],
  ['a returnUrl without a scheme', { returnUrl: '//shop.test/' }, ['returnUrl validation_failed']],
  [
    'everything at once',
    { currency: 'eur', sbpEnabled: false, transferScope: 'international', bankIssuer: 'z', returnUrl: 'x' },
    [
      'currency currency_not_supported',
      'transferScope transfer_scope_not_allowed',
      'bankIssuer bank_issuer_unknown',
      'returnUrl validation_failed',
    ],
  ],
  [
    'an amount and a bank',
    { amount: '1', bankIssuer: 'z' },
    ['amount amount_below_min', 'bankIssuer bank_issuer_unknown'],
  ],
]

for (const [title, fields, errors] of refused) {
  test(`refused: ${title}: ${errors.join(', ')}`, () => {
    const refusal = read(fields)
    assert.ok(refusal instanceof Refusal)
    assert.deepEqual(
      refusal.details.errors?.map((error) => `${error.field} ${error.code}`),
      errors,
    )
    assert.equal(refusal.code, refusal.details.errors?.[0]?.code)
    for (const { message } of refusal.details.errors ?? []) assert.match(message, /^(?:must|is|has) .+\.$/)
  })
}

test('refusals of amounts tell the bound in the decimals of the currency', () => {
  const message = (fields: Partial<WireRequest>): string => (read(fields) as Refusal).message
  assert.equal(message({ amount: '1' }), 'amount must be at least 100.00 rub.')
  assert.equal(message({ amount: '1e30' }), 'amount must be at most 300000.00 rub.')
  assert.equal(message({ amount: '1', currency: 'jpy' }), 'amount must be at least 100 jpy.')
  assert.equal(message({ amount: '5000.001' }), 'amount has more than 2 decimals.')
  assert.equal(message({ currency: 'eur' }), 'currency is not supported; supported: rub, jpy.')
})

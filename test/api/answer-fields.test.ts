// Rows become responses as the schema says: no schema names a field that is sealed, a hash or an index of one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAnswer } from '../../src/http/routes/to-answer.ts'
import { ExactSum, Id, Time } from '../../src/operations/fields.ts'
import { Type } from '../../src/operations/schema.ts'
import { apiDocument } from '../support/api-document.ts'

/** What never leaves the process. */
const kept = /(Sealed|Hash|Index)$/

const namesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as { properties?: object }
  return [...Object.keys(properties ?? {}), ...Object.values(value).flatMap(namesIn)]
}

test('no field of an answer or of a request is sealed, a hash or an index of one', () => {
  const names = new Set(namesIn(apiDocument))
  assert.ok(names.has('merchantId'))
  assert.deepEqual(
    [...names].filter((name) => kept.test(name)),
    [],
  )
})

test('a response has the declared fields of a row only, without those that are null and may be absent', () => {
  const schema = Type.Object({ id: Id, 'note?': Type.String() })
  assert.deepEqual(toAnswer(schema, { id: '1', note: null, numberSealed: 'x' }), { id: '1' })
})

test('instants, minor units, prices and sums are written as declared, in the currency next to or around them', () => {
  const schema = Type.Object({
    at: Time,
    currency: Type.String(),
    ratePrice: Type.Number(),
    parts: Type.Array(Type.Object({ amount: Type.Number() })),
    total: Type.Object({ currency: Type.String(), amount: Type.Number(), sum: ExactSum }),
    limit: Type.OrNull(Type.Number()),
    count: Type.Integer(),
  })
  const total = { currency: 'USDT', amount: 5_000_000n, sum: 1n }
  const row = { at: 0, currency: 'rub', ratePrice: 9_250_000_000n, parts: [{ amount: 500_037n }], total }
  assert.deepEqual(toAnswer(schema, { ...row, limit: null, count: 3n }), {
    at: '1970-01-01T00:00:00.000Z',
    currency: 'rub',
    ratePrice: 92.5,
    parts: [{ amount: 5000.37 }],
    total: { currency: 'USDT', amount: 5, sum: '0.000001' },
    limit: null,
    count: 3,
  })
})

// Rows that become answers: a field that is sealed, a hash or an index of one stops the type check, and no schema names one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wire } from '../../src/operations/fields.ts'
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

test('a row with such a field does not become an answer by its fields', () => {
  // @ts-expect-error -- the number is sealed
  wire.fields({ id: '1', numberSealed: 'x' })
  // @ts-expect-error -- a hash
  wire.fields({ id: '1', contentHash: 'x' })
  // @ts-expect-error -- an index
  wire.fields({ id: '1', payeeIndex: 'x' })
  assert.deepEqual(wire.fields({ id: '1', numberMasked: '•• 42', note: null }), { id: '1', numberMasked: '•• 42' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeSpans } from '../../src/rules/transfers/merge-spans.ts'

const span = (since: number, until: number, more: object = {}) => ({
  ...{ requisiteId: 'a', amount: 1000n, channel: 'camt', source: 'file', since, until },
  ...more,
})

test('spans of one amount that overlap are one, in any order', () => {
  const many = Array.from({ length: 400 }, (_, index) => span(index, index + 100))
  assert.deepEqual(mergeSpans([span(1000, 1001), ...many.toReversed()]), [span(0, 499), span(1000, 1001)])
})

test('a span within another one does not shorten it', () => {
  assert.deepEqual(mergeSpans([span(0, 100), span(10, 20), span(100, 110)]), [span(0, 110)])
})

test('what differs in anything but the time stays apart', () => {
  const others = [{}, { requisiteId: 'b' }, { amount: 1001n }, { channel: 'mt940' }, { source: 'other' }]
  const spans = others.map((more) => span(0, 10, more))
  assert.deepEqual(mergeSpans(spans), spans)
})

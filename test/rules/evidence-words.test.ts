// Evidence in words, for operators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { criteria, type Evidence, type Verdict, verdicts } from '../../src/rules/transfers/evidence.ts'
import {
  criterionWords,
  describeEvidence,
  isCertainAmount,
  listContradictions,
  verdictSigns,
} from '../../src/rules/transfers/evidence-words.ts'

const evidence = (found: Partial<Record<keyof Evidence, Verdict>>): Evidence => {
  const finding = (criterion: keyof Evidence) => ({ verdict: found[criterion] ?? 'unknown', why: `why ${criterion}` })
  return {
    amount: finding('amount'),
    number: finding('number'),
    name: finding('name'),
    order: finding('order'),
    bank: finding('bank'),
    time: finding('time'),
  }
}

test('every criterion has a word, and every verdict a sign of its own', () => {
  assert.deepEqual(Object.keys(criterionWords).toSorted(), [...criteria].toSorted())
  assert.equal(new Set(verdicts.map((verdict) => verdictSigns[verdict])).size, verdicts.length)
})

for (const [title, found, isCertain, line] of [
  ['nothing is known', {}, false, ''],
  ['an exact amount', { amount: 'proves', time: 'supports' }, true, 'amount proves, time supports'],
  ['an amount within the tolerance', { amount: 'supports' }, false, 'amount supports'],
  [
    'an exact amount that the text contradicts',
    { amount: 'proves', order: 'contradicts' },
    false,
    'amount proves, order contradicts (why order)',
  ],
] as const) {
  test(`${title} is ${isCertain ? 'certain' : 'not certain'}, and says so in a line`, () => {
    assert.equal(isCertainAmount(evidence(found)), isCertain)
    assert.equal(describeEvidence(evidence(found)), line)
  })
}

test('what contradicts is listed with why', () => {
  assert.deepEqual(listContradictions(evidence({ name: 'contradicts', bank: 'contradicts', time: 'supports' })), [
    'why name',
    'why bank',
  ])
})

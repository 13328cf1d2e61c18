// Which outgoing money a rule is for, and which rules would do what people did.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DescribedOutgoing,
  fitsRule,
  onlyRuleFor,
  type OutgoingCondition,
  suggestRules,
} from '../../src/rules/transfers/outgoing-rule.ts'

const any: OutgoingCondition = {
  ...{ currency: 'rub', requisiteIds: null, text: null, payee: null, minAmount: null, maxAmount: null },
}
const row: DescribedOutgoing = {
  ...{ requisiteId: 'main', currency: 'rub', amount: 500n, text: 'Комиссия за ведение счёта, март' },
  ...{ name: 'ПАО «Банк»', number: '40702810000000000001' },
}

const cases: readonly (readonly [string, Partial<OutgoingCondition>, Partial<DescribedOutgoing>, boolean])[] = [
  ['its text', { text: 'комиссия ЗА ведение' }, {}, true],
  ['words in another order', { text: 'ведение комиссия' }, {}, false],
  ['a part of a word', { text: 'комис' }, {}, false],
  ['words over a mark', { text: 'счёта март' }, {}, true],
  ['its text where there is none', { text: 'комиссия' }, { text: null }, false],
  ['words of the name', { payee: 'банк' }, {}, true],
  ['another name', { payee: 'банкир' }, {}, false],
  ['the number however it is spelled', { payee: '4070 2810 0000 0000 0001' }, {}, true],
  ['another number', { payee: '40702810000000000002' }, {}, false],
  ['a number that strangers may share', { payee: '0001' }, { number: '*0001' }, false],
  ['no name and no number', { payee: 'банк' }, { name: null, number: null }, false],
  ['the bounds of the amount', { text: 'комиссия', minAmount: 500n, maxAmount: 500n }, {}, true],
  ['too little', { text: 'комиссия', minAmount: 501n }, {}, false],
  ['too much', { text: 'комиссия', maxAmount: 499n }, {}, false],
  ['its account', { text: 'комиссия', requisiteIds: ['main', 'shares its account'] }, {}, true],
  ['another account', { text: 'комиссия', requisiteIds: ['other'] }, {}, false],
  ['another currency', { text: 'комиссия', currency: 'kzt' }, {}, false],
  ['only one of text and payee', { text: 'комиссия', payee: 'другой' }, {}, false],
]

for (const [what, rule, other, fits] of cases)
  test(`a rule is ${fits ? '' : 'not '}for a row by ${what}`, () => {
    assert.equal(fitsRule({ ...any, ...rule }, { ...row, ...other }), fits)
  })

test('a row for which two rules are has none', () => {
  const [one, two] = [
    { ...any, text: 'комиссия' },
    { ...any, payee: 'банк' },
  ]
  assert.equal(onlyRuleFor([one], row), one)
  assert.equal(onlyRuleFor([one, two], row), undefined)
  assert.equal(onlyRuleFor([one, { ...two, payee: 'другой' }], row), one)
})

test('what was booked twice to one purpose is suggested, unless a rule is for it', () => {
  const booked = (id: string, more: object = {}) => ({ ...row, id, purpose: 'fee' as const, ...more })
  const suggest = (explained: Parameters<typeof suggestRules>[0], rules: readonly OutgoingCondition[] = []) =>
    suggestRules(explained, [row, { ...row, amount: 7n }, { ...row, text: 'аренда' }], rules).map(
      ({ like, times, waiting }) => [like.id, times, waiting],
    )
  const twice = [booked('b'), booked('a', { text: 'КОМИССИЯ за ведение счёта март', amount: 9n })]
  assert.deepEqual(suggest(twice), [['b', 2, 2]])
  assert.deepEqual(suggest(twice, [{ ...any, text: 'комиссия' }]), [])
  assert.deepEqual(suggest([booked('a')]), [])
  for (const other of [{ requisiteId: 'other' }, { text: 'аренда' }, { name: 'ООО «Другой»' }, { number: null }])
    assert.deepEqual(suggest([booked('b'), booked('a', other)]), [], JSON.stringify(other))
  assert.deepEqual(suggest([...twice, { ...row, id: 'c', purpose: 'other' }]), [], 'another purpose')
  const bare = { text: null, name: null, number: '*0001' }
  assert.deepEqual(suggest([booked('b', bare), booked('a', bare)]), [], 'nothing to know them by')
})

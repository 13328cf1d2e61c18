// Check digits of taxpayers, accounts and banks in Russia.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitsBic, isBic, isCorrespondentOf, isInn, isKpp, withAccountKey } from '../../src/rules/money/bank-details.ts'

for (const [text, isRight] of [
  ['1234567894', true],
  ['1234567890', false],
  ['1324567894', false],
  ['123456789047', true],
  ['123456789048', false],
  ['123456789147', false],
  ['12345678904', false],
  ['12345678940', false],
  ['', false],
  ['123456789x', false],
] as const)
  test(`${text || 'nothing'} is ${isRight ? 'an INN' : 'no INN'}`, () => assert.equal(isInn(text), isRight))

test('a KPP has nine signs, two of which may be letters', () => {
  assert.deepEqual(['770001001', '7700AB001', '77000100', '77000100A', '7700ab001'].map(isKpp), [
    true,
    true,
    false,
    false,
    false,
  ])
})

for (const [account, bic, isRight] of [
  ['40702810100000000007', '044500123', true],
  ['40702810400000000007', '044500123', false],
  // Two digits that changed places are found, too.
  ['40702810100000000070', '044500123', false],
  ['40702810100000000007', '044500124', false],
  // At the Bank of Russia the region of the BIC counts, not its end.
  ['40102810500000000001', '044500000', true],
  ['4070281030000000000', '044500123', false],
  ['40702810100000000007', '444500123', false],
] as const)
  test(`account ${account} ${isRight ? 'fits' : 'does not fit'} BIC ${bic}`, () =>
    assert.equal(fitsBic(account, bic), isRight))

test('a correspondent account repeats the end of its BIC and has the key of its region', () => {
  assert.ok(isCorrespondentOf('30101810800000000123', '044500123'))
  assert.ok(!isCorrespondentOf('30101810100000000123', '044500123'))
  assert.ok(!isCorrespondentOf('30101810800000000123', '044500124'))
  assert.ok(!isCorrespondentOf('40702810100000000007', '044500123'))
})

test('every account has exactly one key for a BIC', () => {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
  fc.assert(
    fc.property(digits(20), digits(7), (account, rest) => {
      const bic = `04${rest}`
      assert.ok(isBic(bic))
      const keyed = withAccountKey(account, bic)
      const others = Array.from('0123456789').map((key) => account.slice(0, 8) + key + account.slice(9))
      assert.deepEqual(
        others.filter((each) => fitsBic(each, bic)),
        [keyed],
      )
    }),
  )
})

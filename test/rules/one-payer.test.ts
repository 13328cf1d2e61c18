import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBeOnePayer, readPayer } from '../../src/rules/transfers/one-payer.ts'

type Named = readonly [number: string | null, name: string | null]

const account = '40817810000000001111'

const cases: readonly (readonly [one: Named, other: Named, may: boolean])[] = [
  [[null, null], [account, 'Иванов Иван'], true],
  [[account, null], ['40817810000000002222', null], false],
  [[account, 'Иванов Иван'], [account, 'Петров Пётр'], true],
  [[account, null], ['79161234567', null], true],
  [['+7 916 123-45-67', null], ['89161234567', null], true],
  [['*1111', null], ['*2222', null], false],
  [['*1111', null], ['4081 **** 1111', null], true],
  [[null, 'Иванов Иван Иванович'], [null, 'IVANOV I.'], true],
  [[null, 'Иванов Иван Иванович'], [null, 'Иван Иванович И.'], true],
  [[null, 'Иванов Иван Иванович'], [null, 'ИВАНОВ ИВАН ИВАНОВ'], true],
  [[null, 'Иванов Иван'], [null, 'И*** И***'], true],
  [[null, 'Иванов Иван'], [null, '***'], true],
  [[null, 'Иванов Иван'], [null, 'Петров Иван'], false],
  [[null, 'Петров Пётр'], [null, 'Сидоров Пётр'], false],
  [[null, 'Иванов Иван'], [null, 'П. П.'], false],
  [[account, 'Иванов Иван'], ['79161234567', 'Петров Пётр'], false],
  [[null, 'ООО "Ромашка"'], [null, 'ООО "Лютик"'], false],
  [[null, 'ООО "Ромашка"'], [null, 'Общество с ограниченной ответственностью Ромашка'], true],
  [[null, 'ПАО Сбербанк'], [null, 'Иванов Иван'], true],
]

for (const [one, other, may] of cases) {
  test(`${one.join(' ')} and ${other.join(' ')} ${may ? 'may be one payer' : 'are two payers'}`, () => {
    assert.equal(mayBeOnePayer(readPayer(...one), readPayer(...other)), may)
    assert.equal(mayBeOnePayer(readPayer(...other), readPayer(...one)), may)
  })
}

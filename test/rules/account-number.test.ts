import assert from 'node:assert/strict'
import { test } from 'node:test'
import { senderKind } from '../../src/rules/values/account-number.ts'

const cases: readonly [number: string, kind: 'account' | 'card' | undefined][] = [
  ['4276 8000 0000 0002', 'card'],
  ['4276 8000 0000 0003', 'account'],
  ['40817810000000000001', 'account'],
  ['+7 (926) 123-45-67', 'account'],
  ['DE89 3704 0044 0532 0130 00', 'account'],
  ['4276 80** **** 0002', undefined],
  ['427680xxxxxx0002', undefined],
  ['•••• 4567', undefined],
  ['1234', undefined],
  ['', undefined],
]

for (const [number, kind] of cases)
  test(`a sender ${JSON.stringify(number)} is ${kind ?? 'nobody in particular'}`, () =>
    assert.equal(senderKind(number), kind))

// A text with its marks, as people write it and as it is read.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readMarkedText, type TextMark, writeMarkedText } from '../../src/rules/phones/marked-text.ts'

const mark = (text: string, field: TextMark['field'], part: string): TextMark => {
  const from = text.indexOf(part)
  return { field, from, to: from + part.length }
}

describe('a text with marks', () => {
  for (const [written, text, marks] of [
    ['', '', []],
    ['Пришло 500р', 'Пришло 500р', []],
    ['Пришло {amount:500р}', 'Пришло 500р', [['amount', '500р']]],
    [
      '{amount:5р}{balance:7р}',
      '5р7р',
      [
        ['amount', '5р'],
        ['balance', '7р'],
      ],
    ],
    [String.raw`\{скидка\} {amount:5р} \\`, String.raw`{скидка} 5р \ `.trimEnd(), [['amount', '5р']]],
    ['Новость\n{senderName:Глеб Н.}: 5р', 'Новость\nГлеб Н.: 5р', [['senderName', 'Глеб Н.']]],
    [String.raw`{comment:за \{обед\}}`, 'за {обед}', [['comment', 'за {обед}']]],
  ] as const)
    test(`${JSON.stringify(written)} is read, and written the same`, () => {
      const wanted = { text, marks: marks.map(([field, part]) => mark(text, field, part)) }
      assert.deepEqual(readMarkedText(written), wanted)
      assert.equal(writeMarkedText(wanted), written)
    })

  for (const [written, fault] of [
    ['{amount:5р', /The mark of amount is not closed$/],
    ['{amount:5 {balance:7}}', /The mark of amount is not closed before the next one/],
    ['{money:5}', /After \{ comes one of amount, balance/],
    ['{amount 5}', /After \{ comes one of amount, balance/],
    ['{', /After \{ comes one of amount, balance/],
    ['5р}', /There is a \} that closes no mark/],
    ['{amount:}', /The mark of amount is empty/],
  ] as const)
    test(`${JSON.stringify(written)} is refused`, () => {
      const read = readMarkedText(written)
      assert.match('fault' in read ? read.fault : '', fault)
    })
})

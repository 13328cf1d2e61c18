// Tables of the command line in terminals of any width.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutTable, widthOf } from '../src/cli/lay-out-table.ts'
import { printFields, printList, printRows, render, type Screen } from '../src/cli/print-table.ts'
import { shortenIds } from '../src/cli/short-ids.ts'

const screen = (width: number, columns?: readonly string[]): Screen => ({ width, isBold: false, columns })
const row = {
  order: 'order-1001',
  amount: '5000.37 rub',
  text: 'Перевод от Ивана Ивановича за книги и тетради',
  method: 'account-to-account',
}
const columns = {
  ORDER: 'order',
  'AMOUNT>': 'amount',
  'TEXT~': 'text',
  METHOD: 'method',
  'NEXT FREE': () => undefined,
} as const

test('a table keeps to the width: texts wrap, then the last columns go, and a line says how to see them', () => {
  const printed = printList([row, { ...row, amount: '1.10 rub' }], columns)
  assert.equal(
    render(printed, screen(Infinity)),
    [
      'ORDER            AMOUNT  TEXT                                           METHOD              NEXT FREE',
      'order-1001  5000.37 rub  Перевод от Ивана Ивановича за книги и тетради  account-to-account  –',
      'order-1001     1.10 rub  Перевод от Ивана Ивановича за книги и тетради  account-to-account  –',
    ].join('\n'),
  )
  assert.equal(
    render(printed, screen(52)),
    [
      'ORDER            AMOUNT  TEXT              NEXT FREE',
      'order-1001  5000.37 rub  Перевод от Ивана  –',
      '                         Ивановича за',
      '                         книги и тетради',
      'order-1001     1.10 rub  Перевод от Ивана  –',
      '                         Ивановича за',
      '                         книги и тетради',
      '',
      'Not shown: METHOD. All columns: --wide; chosen ones: --columns method',
    ].join('\n'),
  )
  for (let width = 5; width < 140; width++) {
    const table = render(printRows([row], columns), screen(width)).split('\n\n')[0] ?? ''
    for (const line of table.split('\n')) assert.ok(widthOf(line) <= width, `${width}: ${line}`)
  }
})

test('chosen columns are shown in their order; an unknown one is refused with those that there are', () => {
  const printed = printList([row], columns)
  assert.equal(render(printed, screen(10, ['next-free', 'Order'])), 'NEXT FREE  ORDER\n–          order-1001')
  assert.throws(() => render(printed, screen(80, ['who'])), /no column "who"; this list has order, amount, text/)
})

test('names and values keep to the width, and texts cannot move the cursor', () => {
  const printed = printFields({
    Id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
    Text: 'a\u001b[2Jb\u202ec',
    None: undefined,
  })
  assert.equal(
    render(printed, screen(30)),
    'Id    019a9c3e-7d5e-7b52-9f0c-\n      0d6f3f3c6a10\nText  a�[2Jb�c'.replace(
      '9f0c-\n      0d6f',
      '9f0c-\n      0d6f',
    ),
  )
})

test('signs of two places and of none are measured as terminals show them', () => {
  assert.deepEqual(['日本', 'e\u0301', '✅', '–'].map(widthOf), [4, 1, 2, 1])
  const { lines } = layOutTable(
    [
      { header: 'A', alignsRight: true, wraps: false, cells: ['日本', 'x'] },
      { header: 'B', alignsRight: false, wraps: false, cells: ['1', '2'] },
    ],
    80,
  )
  assert.deepEqual(lines, ['   A  B', '日本  1', '   x  2'])
})

test('ids are as short as they can be typed back', () => {
  const first = '019a9c3e-7d5e-7000-8000-0d6f3f3c6a10'
  const alike = '019a9c3e-7d5e-7000-8001-1d6f3f3c6a11'
  const same = '019a9c3e-7d5e-7000-8002-2d6f3f3c6a11'
  const other = '019a9c3e-7d5f-7000-8000-0d6f3f3c6a10'
  assert.deepEqual(shortenIds([other, '–', other]), ['019a9c3e-7d5f', '–', '019a9c3e-7d5f'])
  assert.deepEqual(shortenIds([first, alike, other]), [
    '019a9c3e-7d5e..3c6a10',
    '019a9c3e-7d5e..3c6a11',
    '019a9c3e-7d5f',
  ])
  assert.deepEqual(shortenIds([alike, same]), [alike, same])
  // The rows of a file begin alike, and a list may show one of them only.
  assert.match(shortenIds([first], { madeTogether: true })[0] ?? '', /^.{13}\.\..{6}$/)
})

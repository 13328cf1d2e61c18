// Tables of the command line in terminals of any width.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { layOutTable, widthOf } from '../src/cli/lay-out-table.ts'
import {
  printDetails,
  printFields,
  printList,
  printRows,
  printSections,
  printTime,
  render,
  type Screen,
} from '../src/cli/print-table.ts'
import { time } from '../src/cli/read-arguments.ts'
import { shortenIds } from '../src/rules/values/short-ids.ts'
import { readTypedName } from '../src/rules/values/id-text.ts'
import { howToApprove } from '../src/operations/fields.ts'
import { approvedOfPhone, type PhoneAnswer } from '../src/operations/phones.ts'
import { approvedOfSource, type SourceAnswer } from '../src/operations/sources.ts'
import type { Mapping } from '../src/operations/statement-mapping.ts'
import { unknownId } from './support/operator.ts'

const screen = (width: number, columns?: readonly string[]): Screen => ({ width, isBold: false, columns })
const row = {
  order: 'order-1001',
  amount: '5000.37 rub',
  text: 'Перевод от Ивана Ивановича за книги и тетради',
  method: 'account-to-account',
}
const column = (heading: string, name?: keyof typeof row, mark = '') => ({
  heading,
  mark,
  cell: (each: typeof row) => name && each[name],
})
const columns = [
  column('Order', 'order'),
  column('Amount', 'amount', '>'),
  column('Text', 'text', '~'),
  column('Method', 'method'),
  column('Next free'),
]

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
      'Not shown: method. See all: --wide; these: --columns <names>',
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

test('a text that others have written moves no cursor, and makes no line where it is approved', () => {
  const sections = printSections(
    'SMS: a\u001b]52;c;\u0007b\rc\u009b2J\nours',
    printRows([row], [column('Order', 'order')]),
  )
  assert.equal(render(sections, screen(80)), 'SMS: a�]52;c;�b�c�2J\nours\n\nORDER\norder-1001')
  const shown = howToApprove(
    'templates',
    [{ id: '1', name: 'bank', unapproved: { by: 'anna', version: 'v' } }],
    (by) => by,
    () => [{ name: 'Text', says: 'a\n\u2028\rWaits for another operator' }],
  )
  assert.deepEqual(shown?.split(/[\n\r\u2028]/), [
    'Waits for another operator than anna (bank): payin templates approve 1 v',
    '  Text: a Waits for another operator',
  ])
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

test('a column without a value is the first to go, and nothing is said of it', () => {
  const printed = printList([row], [column('Order', 'order'), column('Empty'), column('Amount', 'amount', '>')])
  assert.equal(render(printed, screen(40)).split('\n')[0], 'ORDER       EMPTY       AMOUNT')
  assert.equal(render(printed, screen(25)), 'ORDER            AMOUNT\norder-1001  5000.37 rub')
})

test('times are printed in the zone of the terminal, with its distance from UTC, and read back as they are printed', () => {
  const before = process.env['TZ']
  const zones: [zone: string, printed: string][] = [
    ['UTC', '2026-01-31 21:30:05Z'],
    ['Europe/Moscow', '2026-02-01 00:30:05+03'],
    ['Asia/Kolkata', '2026-02-01 03:00:05+05:30'],
    ['America/St_Johns', '2026-01-31 18:00:05-03:30'],
  ]
  try {
    for (const [zone, printed] of zones) {
      process.env['TZ'] = zone
      assert.equal(printTime('2026-01-31T21:30:05.700Z'), printed)
      assert.equal(time(printed), '2026-01-31T21:30:05.000Z', zone)
      assert.equal(time(printed.replace(/(Z|[+-]\d\d(:\d\d)?)$/, '')), '2026-01-31T21:30:05.000Z', zone)
    }
    process.env['TZ'] = 'Europe/Moscow'
    assert.equal(time('2026-02-01'), '2026-01-31T21:00:00.000Z', 'a day begins where the operator is')
    assert.equal(time('2026-02-01T00:30+03:00'), '2026-01-31T21:30:00.000Z')
    for (const typed of ['2026-02-30', '2026-13-01', '31.01.2026', '2026-01-31 25:00', 'yesterday'])
      assert.throws(() => time(typed), /Write a day or a time/, typed)
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})

test('ids behind a word are shortened, too', () => {
  const id = '01a202bf-ec4d-7000-8000-02e14c7e8dae'
  assert.deepEqual(shortenIds([`source:${id}`, 'rate:rub']), ['source:01a202bf-ec4d..7e8dae', 'rate:rub'])
})

test('details of any form are one line of names and values', () => {
  const cases: [details: object, printed: string][] = [
    [
      { reason: 'by phone', amount: '500000', otherMoney: false, note: null, text: '' },
      'reason by phone; amount 500000; other money no',
    ],
    [{ shares: [{ orderId: 'a', amount: 5 }, { orderId: 'b' }] }, 'shares (order id a, amount 5), (order id b)'],
    [
      { plan: { assign: [], unassign: ['x', 'y'] }, settings: {} },
      'plan (assign none, unassign x, y); settings nothing',
    ],
    [{}, ''],
  ]
  for (const [details, printed] of cases) assert.equal(printDetails(details), printed)
})

test('sections that have nothing to print leave no empty lines', () => {
  assert.equal(render(printSections('first', undefined, '', 'last', ''), screen(80)), 'first\n\nlast')
})

test('below a list of sources stand the commands that approve what waits, with ids and whole versions', () => {
  const [version, other] = ['7'.repeat(64), '8'.repeat(64)]
  const rows = [
    { id: '1', name: 'Feed', unapproved: { by: 'operator:anna', version } },
    { id: '2', name: 'Files' },
    { id: '3', name: '$(rm -r ~)', unapproved: { by: 'operator:anna', version: other } },
  ]
  const approve = (name: string, id: string, seen: string) =>
    `Waits for another operator than ANNA (${name}): payin sources approve ${id} ${seen}`
  assert.equal(
    howToApprove(
      'sources',
      rows,
      () => 'ANNA',
      ({ name }) => [{ name: 'It is', says: name }],
    ),
    [approve('Feed', '1', version), '  It is: Feed', approve('$(rm -r ~)', '3', other), '  It is: $(rm -r ~)'].join(
      '\n',
    ),
  )
  assert.equal(
    howToApprove(
      'sources',
      [{ id: '2', name: 'Files' }],
      () => '',
      () => [],
    ),
    undefined,
  )
})

test('who approves a source or a phone sees all that its version is made of', () => {
  const account = ({ number }: { number: string } = { number: '' }, id = '') => number || id
  const answers = { id: unknownId, name: 'Volga', createdAt: '2026-01-01T00:00:00.000Z' }
  const source: SourceAnswer = { ...answers, requisiteIds: ['one'] }
  const roles = { date: 'Дата', amount: 'Сумма', text: 'Назначение' }
  const sources: SourceAnswer[] = [
    source,
    { ...source, requisiteIds: ['one', 'two'] },
    { ...source, keyPrefix: 'payin_feed_a' },
    { ...source, sameMoneyAs: unknownId },
    ...[
      { columns: roles },
      { columns: { ...roles, amount: 'Остаток' } },
      { columns: { ...roles, amount: 3 } },
      { columns: { ...roles, amount: '3' } },
      { columns: { ...roles, time: 'Время' } },
      ...[{ charset: 'utf-8' }, { delimiter: ';' }, { headerLine: 2 }, { dateOrder: 'mdy' }, { decimalMark: '.' }],
      ...[{ allCredits: true }, { directions: { credit: ['in'], debit: [] } }],
      { directions: { credit: [], debit: ['in'] } },
    ].map((mapping) => ({ ...source, mapping: mapping as Mapping })),
  ]
  const phone = { ...answers, app: 'other', state: 'active', dailyLimit: 100 } as const
  const more = {
    balances: 'checked',
    secretPrefix: 'payin_phone_a',
    waiting: 0,
    droppedCodes: 0,
    droppedOthers: 0,
  } as const
  const ofOne = (fields: object) => [{ requisiteId: 'one', digits: ['4071'], ...fields }]
  const phones: PhoneAnswer[] = [
    {},
    { requisiteIds: ['two'] },
    { accounts: ofOne({ digits: ['4072'] }) },
    { accounts: ofOne({ sim: '1' }) },
    { dailyLimit: 200 },
    { balances: 'ignored' as const },
    { secretPrefix: 'payin_phone_b' },
  ].map((fields) => ({ ...phone, ...more, requisiteIds: ['one'], accounts: ofOne({}), ...fields }))
  for (const said of [
    sources.map((each) => JSON.stringify(approvedOfSource(each, sources, account))),
    phones.map((each) => JSON.stringify(approvedOfPhone(each, account))),
  ])
    assert.equal(new Set(said).size, said.length, said.join('\n'))
  const [, , , , , mapped] = sources
  assert.match(JSON.stringify(mapped && approvedOfSource(mapped, sources, account)), /columns.amount: \\"Остаток\\"/)
})

test('an id may be typed as the guide shows it', () => {
  for (const path of ['docs/command-line.md', 'docs/ru/command-line.md']) {
    const [, typed = ''] =
      /`([0-9a-f-]+\.\.[0-9a-f]+)`/.exec(readFileSync(resolve(import.meta.dirname, '..', path), 'utf8')) ?? []
    assert.match(readTypedName(typed).least, /^019a9c3e-7d5e/, path)
  }
})

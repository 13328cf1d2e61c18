// A bank that exports a day again with other texts: nothing is credited twice, and nothing that differs is dropped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf, csvOf, exchangeOf, type Made, type MadeRow, mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne, opened } = shareEngines()

type Bank = Awaited<ReturnType<typeof openBank>>

/** What a statement has recorded: new rows, known ones, duplicates, and how many of the new ones wait. */
const countsOf = ({ counts }: Awaited<ReturnType<Bank['upload']>>): number[] => [
  counts.new,
  counts.alreadyKnown,
  counts.duplicates,
  counts.possibleDuplicates,
]
const held = (bank: Bank): Promise<number> => bank.balanceOf(`bank:${bank.requisiteId}`)
const questions = async (bank: Bank) => (await bank.inbox()).filter((each) => each.duplicateOf !== undefined)

const ivanov = { payer: 'Иванов Иван Иванович' }
const petrov = { payer: 'Петров Пётр' }
const accountA = { payerAccount: '40817810000000001111' }
const accountB = { payerAccount: '40817810000000002222' }
const nobody = { payer: '' }
const yesterday = ({ date }: Bank): { readonly date: string } => ({
  date: new Date(Date.parse(date) - day).toISOString().slice(0, 10),
})

type Rows = readonly Partial<MadeRow>[]
type Case = readonly [title: string, first: Rows, then: Rows, expected: readonly number[]]

// Rows of a day without a number and a time: the second file's new, known, duplicate and possibly duplicate ones.
const cases: readonly Case[] = [
  ['another text', [{ text: 'Заказ 1' }], [{ text: 'Order 1' }], [1, 0, 0, 1]],
  ['a text that is cut', [{ text: 'Перевод по заказу 1' }], [{ text: 'Перевод' }], [1, 0, 0, 1]],
  [
    'every text of the day is masked',
    [{ text: '1' }, { text: '2' }, { text: '3', minor: 7_00n }],
    [{ text: '*' }, { text: '*' }, { text: '*', minor: 7_00n }],
    [3, 0, 0, 3],
  ],
  ['a payer who is shortened', [{ ...ivanov, text: '1' }], [{ payer: 'IVANOV I.', text: '2' }], [1, 0, 0, 1]],
  ['a payer who is masked', [{ ...ivanov, text: '1' }], [{ payer: 'И*** Иван', text: '1' }], [1, 0, 0, 1]],
  ['a payer who is left out', [{ ...ivanov, ...accountA, text: '1' }], [{ ...nobody, text: '1' }], [1, 0, 0, 1]],
  ['a payer who is added', [{ ...nobody, text: '1' }], [{ ...ivanov, text: '1' }], [1, 0, 0, 1]],
  ['an account, then a phone', [{ ...accountA, text: '1' }], [{ payerAccount: '79161234567' }], [1, 0, 0, 1]],
  ['one row more than are known', [{ text: '1' }], [{ text: '2' }, { text: '3' }], [2, 0, 0, 1]],
  ['the known row and another one', [{ text: '1' }], [{ text: '2' }, { text: '1' }], [1, 1, 0, 0]],
  ['one of two again, one changed', [{ text: '1' }, { text: '2' }], [{ text: '1' }, { text: '3' }], [1, 1, 0, 1]],
  ['two of two again, one more', [{ text: '1' }, { text: '2' }], [{ text: '1' }, { text: '2' }, {}], [1, 2, 0, 0]],
  ['equal rows, then equal ones with another text', [{}, {}], [{ text: '2' }, { text: '2' }], [2, 0, 0, 2]],
  ['two names', [ivanov], [petrov], [1, 0, 0, 0]],
  ['two namesakes by their first name', [{ payer: 'Сидоров Пётр' }], [petrov], [1, 0, 0, 0]],
  ['two organisations', [{ payer: 'ООО "Ромашка"' }], [{ payer: 'ООО "Лютик"' }], [1, 0, 0, 0]],
  [
    'an organisation in short',
    [{ payer: 'Общество с ограниченной ответственностью «Ромашка»' }],
    [{ payer: 'ООО Ромашка' }],
    [1, 0, 0, 1],
  ],
  ['two accounts', [accountA], [accountB], [1, 0, 0, 0]],
  ['one account, two names', [{ ...accountA, ...ivanov }], [{ ...accountA, ...petrov }], [1, 0, 0, 1]],
  ['another amount', [{ text: '1' }], [{ text: '2', minor: 501_00n }], [1, 0, 0, 0]],
]

const formats: readonly (readonly [string, (made: Made) => string])[] = [
  ['CSV', csvOf],
  ['MT940', mt940Of],
  ['camt.053', camtOf],
]

// Domain rules decide between the cases; the formats below look at the storage of both engines.
for (const [title, first, then, expected] of cases) {
  test(`a day that is exported again: ${title}`, async () => {
    const bank = await openBank(opened())
    assert.deepEqual(countsOf(await bank.bring(mt940Of, first)), [first.length, 0, 0, 0])
    const preview = await bank.upload(mt940Of, then)
    assert.deepEqual(countsOf(preview), expected, 'in the preview')
    assert.deepEqual(countsOf(await bank.confirm(preview.id)), expected)
    assert.equal((await questions(bank)).length, expected.at(-1))
  })
}

onEngines(
  'a day that is exported again is a question, and only its surplus is new, in every format',
  async (service) => {
    for (const [title, render] of formats) {
      const bank = await openBank(service)
      await bank.bring(render, [{ text: '1' }])
      assert.deepEqual(countsOf(await bank.bring(render, [{ text: '2' }])), [1, 0, 0, 1], title)
      assert.deepEqual(countsOf(await bank.bring(render, [{ text: '1' }, { text: '2' }, { text: '3' }])), [1, 2, 0, 0])
    }
  },
)

onEngines('money that may have been exported again is not credited, whatever waits for it', async (service) => {
  const bank = await openBank(service)
  await bank.bring(mt940Of, [{ ...ivanov, text: 'Перевод' }])
  await bank.shop.create('one', { amount: 500 })
  await bank.bring(mt940Of, [{ ...ivanov, text: 'Перевод от Ивана' }])
  assert.equal(await bank.shop.status('one'), 'new')
  const [asked] = await questions(bank)
  assert.match(asked?.reasons[0] ?? '', /an earlier file reported with another text: the same day and amount/)
  await bank.decide(asked?.id ?? '', 'ignore', { reason: 'the same' })
  assert.equal(await held(bank), 500)
  // A file with two of them has one more, whatever their texts are.
  const two = await bank.bring(mt940Of, [
    { ...ivanov, text: 'one' },
    { ...ivanov, text: 'two' },
  ])
  assert.deepEqual([countsOf(two), await bank.shop.status('one')], [[2, 0, 0, 1], 'paid'])
})

onOne('of ranges that overlap only the days of both are asked about', async (service) => {
  const bank = await openBank(service)
  await bank.bring(mt940Of, [{ ...yesterday(bank), text: '1' }, { text: '2' }])
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ text: '*' }, { text: '*', minor: 1n }])), [2, 0, 0, 1])
  assert.deepEqual(
    countsOf(await bank.bring(mt940Of, [{ text: '1' }, { ...yesterday(bank), text: '1' }])),
    [1, 1, 0, 1],
  )
})

onOne('a question that nobody has answered counts as money that may come again', async (service) => {
  const bank = await openBank(service)
  await bank.bring(mt940Of, [{ text: '1' }])
  await bank.bring(mt940Of, [{ text: '2' }])
  // The second may be other money; then the third may be that.
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ text: '1' }, { text: '3' }])), [1, 1, 0, 1])
  const asked = await questions(bank)
  assert.equal(asked.length, 2)
  for (const { id } of asked) await bank.decide(id, 'ignore', { reason: 'the same' })
  assert.equal(await held(bank), 500)
})

onOne('what a feed pushed and files say with changing texts is the same money', async (service) => {
  const bank = await openBank(service)
  for (const reference of ['F1', 'F2']) await bank.push(reference)
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ text: '1' }])), [0, 0, 1, 0])
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ text: '2' }])), [0, 0, 1, 0])
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ text: '3' }])), [1, 0, 0, 1])
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ text: '1' }, { text: '2' }])), [0, 2, 0, 0])
})

onOne('each of very many equal amounts is asked about', async (service) => {
  const bank = await openBank(service)
  const rows = (text: string) =>
    Array.from({ length: 1100 }, (_, index) => ({ minor: 5_00n, text: `${text} ${index}` }))
  await bank.bring(mt940Of, rows('Перевод'))
  assert.deepEqual(countsOf(await bank.bring(mt940Of, rows('Transfer'))), [1100, 0, 0, 1100])
})

onOne('a reversal that is exported again with another text takes no other transfer back', async (service) => {
  const bank = await openBank(service)
  const bring = (...rows: Rows) => bank.bring(mt940Of, rows, { closedOn: bank.date })
  await bring(ivanov, { minor: -500_00n, reversal: true, text: 'Отзыв 1' })
  assert.equal(await held(bank), 0)
  await bring(petrov)
  await bring({ minor: -500_00n, reversal: true, text: '*' })
  assert.equal(await held(bank), 500)
  const { reversals } = (await bank.operator.get('/reversals')).body
  assert.equal(reversals.filter((each: { requisiteId: string }) => each.requisiteId === bank.requisiteId).length, 1)
})

type DatedRows = readonly (Omit<Partial<MadeRow>, 'date'> & { readonly ago: number })[]
type MovedCase = readonly [title: string, first: DatedRows, then: DatedRows, expected: readonly number[]]

const other = { minor: 1_00n, payer: 'Сидоров Олег' }
const noNumber = { reference: '' }

/** 1C, whose documents are of one day, whenever they were booked. */
const documentsOf = (made: Made): string => exchangeOf(made).replace(/^Дата=[\d.]+/gm, 'Дата=05.01.2026')

// Rows by how many days ago they are; what a later file has, where an earlier one had them otherwise.
const moved: readonly (readonly [render: (made: Made) => string, cases: readonly MovedCase[]])[] = [
  [
    mt940Of,
    [
      [
        'the next day',
        [{ ...ivanov, ago: 2 }],
        [
          { ...other, ago: 3 },
          { ...ivanov, ago: 1 },
        ],
        [2, 0, 0, 1],
      ],
      [
        'the day before',
        [{ ...ivanov, ago: 2 }],
        [
          { ...ivanov, ago: 3 },
          { ...other, ago: 1 },
        ],
        [2, 0, 0, 1],
      ],
      [
        'a name in short',
        [{ ...ivanov, ago: 2 }],
        [
          { ...other, ago: 2 },
          { payer: 'IVANOV I.', ago: 1 },
        ],
        [2, 0, 0, 1],
      ],
      ['the day is not in the file', [{ ...ivanov, ago: 2 }], [{ ...ivanov, ago: 1 }], [1, 0, 0, 0]],
      [
        'both days have one',
        [{ ...ivanov, ago: 2 }],
        [
          { ...ivanov, ago: 2 },
          { ...ivanov, ago: 1 },
        ],
        [1, 1, 0, 0],
      ],
      [
        'after a weekend and a holiday',
        [{ ...ivanov, ago: 6 }],
        [
          { ...other, ago: 7 },
          { ...ivanov, ago: 2 },
        ],
        [2, 0, 0, 1],
      ],
      [
        'a week later',
        [{ ...ivanov, ago: 8 }],
        [
          { ...other, ago: 9 },
          { ...ivanov, ago: 1 },
        ],
        [2, 0, 0, 0],
      ],
      [
        'another payer',
        [{ ...ivanov, ago: 2 }],
        [
          { ...other, ago: 3 },
          { ...petrov, ago: 1 },
        ],
        [2, 0, 0, 0],
      ],
      [
        'another account',
        [{ ...accountA, ago: 2 }],
        [
          { ...other, ago: 3 },
          { ...accountB, ago: 1 },
        ],
        [2, 0, 0, 0],
      ],
      [
        'one payer more',
        [{ ago: 2 }],
        [
          { ...other, ago: 2 },
          { ago: 1, text: 'a' },
          { ago: 1, text: 'b' },
        ],
        [3, 0, 0, 1],
      ],
      [
        'nobody is named, and the text is the same',
        [{ ...nobody, ago: 2, text: 'Анна К.' }],
        [
          { ...other, ago: 3 },
          { ...nobody, ago: 1, text: 'Анна К' },
        ],
        [2, 0, 0, 1],
      ],
      [
        'nobody is named, and the text is another',
        [{ ...nobody, ago: 2, text: 'Анна К.' }],
        [
          { ...other, ago: 3 },
          { ...nobody, ago: 1, text: 'Пётр' },
        ],
        [2, 0, 0, 0],
      ],
    ],
  ],
  [
    documentsOf,
    [
      [
        'a number appears',
        [{ ...ivanov, ...noNumber, ago: 1 }],
        [{ ...ivanov, reference: '77', ago: 1 }],
        [1, 0, 0, 1],
      ],
      [
        'a number is gone',
        [{ ...ivanov, reference: '77', ago: 1 }],
        [{ ...ivanov, ...noNumber, ago: 1 }],
        [1, 0, 0, 1],
      ],
      [
        'another number',
        [{ ...ivanov, reference: '77', ago: 1 }],
        [{ ...ivanov, reference: '78', ago: 1 }],
        [1, 0, 0, 0],
      ],
      // The file says from which day on it lists everything.
      [
        'the next day',
        [{ ...ivanov, reference: '77', ago: 2 }],
        [{ ...ivanov, reference: '77', ago: 1 }],
        [1, 0, 0, 1],
      ],
    ],
  ],
]

onOne('a row that a bank dates or numbers otherwise when it exports it again is a question', async (service) => {
  for (const [render, all] of moved) {
    for (const [title, first, then, expected] of all) {
      const bank = await openBank(service)
      const dated = (rows: DatedRows): Partial<MadeRow>[] =>
        rows.map(({ ago, ...row }) => ({
          ...row,
          date: new Date(Date.parse(bank.date) - ago * day).toISOString().slice(0, 10),
        }))
      await bank.bring(render, dated(first))
      const preview = await bank.upload(render, dated(then))
      assert.deepEqual(countsOf(preview), expected, `${title}, in the preview`)
      assert.deepEqual(countsOf(await bank.confirm(preview.id)), expected, title)
      const asked = await questions(bank)
      assert.equal(asked.length, expected.at(-1), title)
      for (const { reasons } of asked) assert.match(reasons[0] ?? '', /and which is not in this file/)
    }
  }
})

onOne('money that was moved and found to be the same is known, however it is exported', async (service) => {
  const bank = await openBank(service)
  const at = (ago: number) => ({ date: new Date(Date.parse(bank.date) - ago * day).toISOString().slice(0, 10) })
  const [before, after] = [
    { ...ivanov, ...at(2) },
    { ...ivanov, ...at(1) },
  ]
  await bank.bring(mt940Of, [before])
  await bank.bring(mt940Of, [{ ...other, ...at(3) }, after])
  const [asked] = await questions(bank)
  await bank.decide(asked?.id ?? '', 'ignore', { reason: 'the same' })
  assert.equal(await held(bank), 501)
  const again = await bank.bring(mt940Of, [{ ...other, ...at(3) }, after, { ...after, text: 'another one' }])
  assert.deepEqual(countsOf(again), [1, 2, 0, 0])
  assert.equal(await held(bank), 1001)
})

onOne('of thousands of equal rows each is counted', async (service) => {
  const bank = await openBank(service)
  const rows = Array.from({ length: 2000 }, () => ({ minor: 5_00n, text: 'the same' }))
  await bank.bring(csvOf, rows)
  const { counts } = await bank.upload(csvOf, [...rows, ...rows.slice(0, 1)])
  assert.deepEqual([counts.new, counts.alreadyKnown], [1, 2000])
})

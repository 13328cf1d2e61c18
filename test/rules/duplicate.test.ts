import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  feedChannel,
  fileChannel,
  isByDay,
  isFileChannel,
  operatorChannel,
  sourceOf,
} from '../../src/rules/transfers/channel.ts'
import { type KnownTransfer, type NewReport, pairDuplicates } from '../../src/rules/transfers/duplicate.ts'
import { readPayer } from '../../src/rules/transfers/one-payer.ts'
import { day, hour, minute } from '../../src/rules/time.ts'

const noon = 20_000 * day + 12 * hour
const feed = feedChannel('a')
const byDay = fileChannel('1c', true, null)
const timed = fileChannel('camt.054', false, null)
const anna = '40817810000000001111'
const boris = '40817810000000002222'

const report = (channel: string, fields: Partial<NewReport> = {}): NewReport => {
  const bookedAt = fields.bookedAt ?? noon
  return {
    ...{ requisiteId: 'r', amount: 500n, senderMasked: '', bankReference: null, channel, bookedAt },
    localDay: Math.floor(bookedAt / day),
    ...fields,
  }
}
const known = (id: string, channel: string, fields: Partial<KnownTransfer> = {}): KnownTransfer => ({
  ...report(channel, fields),
  ...{ id, recordedAt: noon, isDoubtful: false },
  ...fields,
})

/** Of a payer, from a file that lists all days. */
const moved = { payer: readPayer(anna, null), likeness: 'm', listed: { from: 0, to: noon + 9 * day } }

type Row = readonly [title: string, reports: readonly NewReport[], known: readonly KnownTransfer[], expected: string]

// Per report: the transfer that it is, with a question mark where a person decides; a dash for new money.
const rows: readonly Row[] = [
  ['a file and a feed', [report(byDay)], [known('f', feed)], 'f'],
  ['a feed after a file', [report(feed)], [known('f', byDay)], 'f'],
  ['equal counts', [report(byDay), report(byDay)], [known('f', feed), known('g', feed)], 'f g'],
  ['a surplus of the file is new money', [report(byDay), report(byDay)], [known('f', feed)], 'f -'],
  ['a surplus of the feed', [report(byDay)], [known('f', feed), known('g', feed)], 'f'],
  [
    'of two the one that is nearer, whatever the order of the file',
    [report(timed, { bookedAt: noon - 3 * hour }), report(timed, { bookedAt: noon - minute })],
    [known('f', feed)],
    '- f',
  ],
  [
    'whoever has lost its nearest does not take what is nearer to another one',
    [1, 2, 6].map((at) => report(timed, { bookedAt: noon - 20 * minute + at * minute })),
    [known('f', feed, { bookedAt: noon - 20 * minute }), known('g', feed, { bookedAt: noon - 10 * minute })],
    'f - g',
  ],
  ['another amount', [report(byDay, { amount: 501n })], [known('f', feed)], '-'],
  ['another requisite', [report(byDay, { requisiteId: 'q' })], [known('f', feed)], '-'],
  ['two payers', [report(byDay, { senderMasked: anna })], [known('f', feed, { senderMasked: boris })], '-'],
  [
    'each payer its own, whatever the order',
    [report(byDay), report(byDay, { senderMasked: anna }), report(byDay, { senderMasked: boris })],
    [known('b', feed, { senderMasked: boris }), known('x', feed), known('a', feed, { senderMasked: anna })],
    'x a b',
  ],
  [
    'two references of one kind',
    [report(timed, { bankReference: '1', referenceKind: 'entry' })],
    [known('f', byDay, { bankReference: '2', referenceKind: 'entry' })],
    '-',
  ],
  ['the day before', [report(byDay)], [known('f', feed, { bookedAt: noon - 13 * hour })], 'f?'],
  [
    'the whole day after',
    [report(byDay, { earliestAt: noon + 12 * hour, bookedAt: noon + 36 * hour - 1 })],
    [known('f', feed)],
    'f?',
  ],
  [
    'the second day after',
    [report(byDay, { earliestAt: noon + 36 * hour, bookedAt: noon + 60 * hour - 1 })],
    [known('f', feed)],
    '-',
  ],
  ['two days before', [report(byDay)], [known('f', feed, { bookedAt: noon - 25 * hour })], '-'],
  [
    'its own day comes before the nearer time',
    [report(byDay, { bookedAt: noon - 12 * hour - 1 }), report(byDay, { bookedAt: noon + 12 * hour - 1 })],
    [known('f', feed, { bookedAt: noon - 26 * hour }), known('g', feed, { bookedAt: noon - 2 * hour })],
    'f g',
  ],
  ['booked after the file was recorded', [report(feed, { bookedAt: noon + 6 * minute })], [known('f', byDay)], '-'],
  ['by hand, after the file', [report(operatorChannel, { bookedAt: noon + 6 * minute })], [known('f', byDay)], 'f?'],
  [
    'booked after the feed was recorded',
    [report(feedChannel('b'), { bookedAt: noon + 6 * minute })],
    [known('f', feed)],
    'f?',
  ],
  ['booked with a clock that is ahead', [report(feed, { bookedAt: noon + 4 * minute })], [known('f', byDay)], 'f'],
  ['an operator', [report(operatorChannel)], [known('f', byDay)], 'f?'],
  ['a file after an operator', [report(byDay)], [known('f', operatorChannel)], 'f'],
  ['a feed after an operator', [report(feed)], [known('f', operatorChannel)], 'f?'],
  ['two feeds', [report(feedChannel('b'))], [known('f', feed)], 'f?'],
  ['two feeds, one declared', [report(feedChannel('b'), { sameMoneySources: ['a'] })], [known('f', feed)], 'f'],
  [
    'a declared one, the day before',
    [report(feedChannel('b'), { sameMoneySources: ['a'] })],
    [known('f', feed, { bookedAt: noon - 13 * hour })],
    'f',
  ],
  [
    'a file of a declared source',
    [report(feedChannel('b'), { sameMoneySources: ['a'], bookedAt: noon + 13 * hour })],
    [known('f', fileChannel('1c', true, 'a'), { recordedAt: noon + 13 * hour })],
    'f',
  ],
  ['one that waits itself', [report(byDay)], [known('f', feed, { isDoubtful: true })], 'f?'],
  ['rather one that does not', [report(byDay)], [known('f', feed, { isDoubtful: true }), known('g', feed)], 'g'],
  [
    'a document with another text',
    [report(byDay, { likeness: 'l' })],
    [known('g', feed), known('f', byDay, { likeness: 'l' })],
    'f?',
  ],
  [
    'a row of the day with another text',
    [report(byDay, { likeness: 'day:l' }), report(byDay, { likeness: 'day:l' })],
    [known('f', byDay, { likeness: 'day:l' })],
    'f? -',
  ],
  [
    'rather what a feed pushed than a row with another text',
    [report(byDay, { likeness: 'day:l' })],
    [known('f', byDay, { likeness: 'day:l' }), known('g', feed)],
    'g',
  ],
  [
    'a document that was found to be reported twice counts once',
    [report(byDay, { likeness: 'day:l' }), report(byDay, { likeness: 'day:l' })],
    [known('f', byDay, { likeness: 'day:l' }), known('f', byDay, { likeness: 'day:l' })],
    'f? -',
  ],
  [
    'a row of one payer that the file lists on another day',
    [report(byDay, { ...moved, bookedAt: noon + day }), report(byDay, { ...moved, bookedAt: noon + day })],
    [known('f', byDay, { ...moved, likeness: 'k' })],
    'f? -',
  ],
  [
    'a pair of two channels comes before a row that was moved',
    [report(byDay, moved)],
    [known('f', byDay, { ...moved, bookedAt: noon - day, likeness: 'k' }), known('g', feed)],
    'g',
  ],
  [
    'two numbers',
    [report(byDay, { ...moved, bookedAt: noon + day, likeness: 'l#2' })],
    [known('f', byDay, { ...moved, likeness: 'k#1' })],
    '-',
  ],
  ['another document of the channel', [report(byDay, { likeness: 'l' })], [known('f', byDay, { likeness: 'k' })], '-'],
  ['documents that nothing tells apart', [report(byDay)], [known('f', byDay)], '-'],
]

for (const [title, reports, others, expected] of rows) {
  test(`duplicates: ${title}`, async () => {
    const pairs = await pairDuplicates(reports, others, () => Promise.resolve())
    const found = reports.map((_, index) => {
      const pair = pairs.get(index)
      return pair ? `${pair.other.id}${pair.isCertain ? '' : '?'}` : '-'
    })
    assert.equal(found.join(' '), expected)
  })
}

for (const [likeness, least, most] of [
  // Each takes one of the nearest, without looking at the others.
  [null, 0, 5],
  // Each first looks for a document like it among all.
  ['l', 150, 1500],
] as const)
  test(`many reports of one amount, with likeness ${likeness}, take the nearest, and others have turns`, async () => {
    const reports = Array.from({ length: 300 }, () => report(timed, { likeness }))
    const others = Array.from({ length: 3000 }, (_, index) =>
      known(`${index}`, feed, { bookedAt: noon + index * 1000 }),
    )
    let turns = 0
    const pairs = await pairDuplicates(reports, others.toReversed(), async () => {
      turns++
    })
    const taken = [...pairs.values()].map(({ other }) => Number(other.id)).toSorted((one, other) => one - other)
    assert.deepEqual(
      taken,
      reports.map((_, index) => index),
    )
    assert.ok(turns >= least && turns <= most, `${turns} turns`)
  })

test('a channel says whether it is a file, of days and of which source', () => {
  const of = (channel: string) => [isFileChannel(channel), isByDay(channel), sourceOf(channel)]
  assert.deepEqual(of(feed), [false, false, 'a'])
  assert.deepEqual(of(operatorChannel), [false, false, undefined])
  assert.deepEqual(of(timed), [true, false, undefined])
  assert.deepEqual(of(byDay), [true, true, undefined])
  assert.deepEqual(of(fileChannel('camt.053', true, 'a')), [true, true, 'a'])
  assert.deepEqual(of(fileChannel('camt.053', false, 'a')), [true, false, 'a'])
})

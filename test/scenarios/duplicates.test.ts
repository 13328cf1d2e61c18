// The same money through two channels without a common reference: nothing is credited twice, and nothing is dropped.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { openBank } from '../support/bank.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { openApprovedFeed } from '../support/push.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf, csvOf, exchangeOf, type Made, type MadeRow, mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

/** A camt.054 whose rows have times of day. */
const notified = (made: Made): string =>
  camtOf(made)
    .replace('camt.053', 'camt.054')
    .replaceAll(/<BookgDt><Dt>([\d-]+)<\/Dt>/g, '<BookgDt><DtTm>$1T00:10:00+03:00</DtTm>')

const moscow = 3 * hour
const senderA = '40817810000000001111'
const senderB = '40817810000000002222'

/** The day some days before another one. */
const before = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * day).toISOString().slice(0, 10)
const at = (date: string, time: string): string => new Date(Date.parse(`${date}T${time}:00Z`) - moscow).toISOString()

type Bank = Awaited<ReturnType<typeof openBank>>
/** What a statement has found or recorded: new rows, known ones, duplicates, and those that wait. */
const countsOf = ({ counts }: Awaited<ReturnType<Bank['upload']>>): number[] => [
  counts.new,
  counts.alreadyKnown,
  counts.duplicates,
  counts.possibleDuplicates,
]
const held = (bank: Bank): Promise<number> => bank.balanceOf(`bank:${bank.requisiteId}`)
const questions = async (bank: Bank) => (await bank.inbox()).filter((each) => each.duplicateOf !== undefined)
const rowsOf = async (bank: Bank, id: string): Promise<(string | undefined)[][]> =>
  (await bank.operator.get(`/statements/${id}/rows`)).body.rows.map((row: { state: string; duplicateOf?: string }) => [
    row.state,
    row.duplicateOf,
  ])

onEngines(
  'money that a feed pushed and a 1C file reports again is the same money without a question',
  async (service) => {
    const bank = await openBank(service)
    await bank.shop.create('one', { amount: 500 })
    const pushed = await bank.push('BANKREF-SBP1')
    assert.equal(await bank.shop.status('one'), 'paid')

    const preview = await bank.upload(exchangeOf, [{ minor: 500_00n }, { minor: 7_00n }])
    assert.deepEqual(countsOf(preview), [1, 0, 1, 0])
    assert.deepEqual(await rowsOf(bank, preview.id), [
      ['duplicate', pushed],
      ['new', undefined],
    ])
    const imported = await bank.confirm(preview.id)
    assert.deepEqual(countsOf(imported), [1, 0, 1, 0])
    assert.deepEqual(await rowsOf(bank, preview.id), [
      ['duplicate', pushed],
      ['recorded', undefined],
    ])
    assert.deepEqual(await questions(bank), [])
    assert.equal(await held(bank), 507)

    const readRows = async () => (await bank.operator.get(`/statements/${preview.id}/rows`)).body.rows
    const [row, other] = await readRows()
    assert.deepEqual([row.went, other.went], ['duplicate', 'suspense'])
    const id: string = row.transferId
    const listed = async (query: string): Promise<string[]> =>
      (await bank.operator.get(`/transfers?${query}`)).body.transfers.map((each: { id: string }) => each.id)
    assert.equal((await listed(`statementId=${preview.id}`)).length, 2)
    assert.deepEqual(await listed(`statementId=${preview.id}&unusual=duplicate`), [id])
    assert.deepEqual(await listed(`requisiteId=${bank.requisiteId}&unusual=duplicate`), [id])
    const { parts, reasons, duplicateOf, statements } = (
      await bank.operator.get(`/transfers/${bank.requisiteId}/${id}`)
    ).body
    const lines = statements.map((each: { statementId: string; line: number }) => [each.statementId, each.line])
    assert.deepEqual(lines, [[preview.id, row.line]])
    assert.deepEqual([parts[0].kind, parts[0].by, duplicateOf], ['duplicate', 'service', pushed])
    assert.match(reasons[0], new RegExp(`the same money as transfer ${pushed}`))
    assertProblem(await bank.decide(id, 'reverse', { reason: 'x' }), 409, 'invalid_state')

    // A longer file reports it again: it stays decided.
    const again = await bank.bring(exchangeOf, [{ minor: 500_00n }, { minor: 7_00n }, { minor: 8_00n }])
    assert.deepEqual(countsOf(again), [1, 2, 0, 0])
    assert.equal(await held(bank), 515)

    // The operator knows better: it is other money, without a payment.
    assert.equal((await bank.decide(id, 'unassign', { reason: 'wrong' })).body.kind, 'suspense')
    assert.equal(await held(bank), 1015)
    const history = (await bank.operator.get(`/statements/${preview.id}`)).body
    assert.deepEqual(countsOf(history), [2, 0, 0, 1])
    const ignored = await bank.balanceOf('ignored')
    assert.equal((await bank.decide(id, 'ignore', { reason: 'a donation', otherMoney: true })).body.kind, 'ignored')
    assert.deepEqual([await held(bank), (await bank.balanceOf('ignored')) - ignored], [1015, -500])
    assert.deepEqual((await readRows())[0].went, 'ignored')
    const { id: paymentId } = (await bank.shop.create('by-hand', { amount: 700 })).body.payment
    const shares = [{ merchantId: bank.shop.merchantId, paymentId }]
    await bank.decide(other.transferId, 'assign', { shares })
    const [, assigned] = await readRows()
    assert.deepEqual([assigned.went, assigned.paymentId, assigned.orderId], ['payment', paymentId, 'by-hand'])
    assert.deepEqual(countsOf((await bank.operator.get(`/statements/${preview.id}`)).body), [2, 0, 0, 0])
  },
)

onOne('each transfer is one row of a channel; further rows are new money', async (service) => {
  const bank = await openBank(service)
  await bank.push('BANKREF-SBP1', { amount: 3 })
  await bank.push('BANKREF-SBP2', { amount: 3 })
  const text = 'Перевод'
  const first = await bank.bring(exchangeOf, [{ minor: 3_00n, text }])
  assert.deepEqual(countsOf(first), [0, 0, 1, 0])
  // The second file reports the first row again, and two more.
  const more = await bank.bring(
    exchangeOf,
    [1, 2, 3].map(() => ({ minor: 3_00n, text, reference: '1' })),
  )
  assert.deepEqual(countsOf(more), [1, 1, 1, 0])
  assert.equal(await held(bank), 9)

  // A third channel is compared with the money, not with its duplicates.
  const third = await bank.bring(
    camtOf,
    [1, 2, 3, 4].map(() => ({ minor: 3_00n, text })),
  )
  assert.deepEqual(countsOf(third), [1, 0, 3, 0])
  assert.deepEqual([await held(bank), await questions(bank)], [12, []])
})

onOne('camt.054 with times and camt.053 with days are the same money in either order', async (service) => {
  for (const [first, second] of [
    [notified, camtOf],
    [camtOf, notified],
  ] as const) {
    const bank = await openBank(service)
    await bank.shop.create('one', { amount: 500 })
    await bank.bring(first, [{}])
    assert.deepEqual(countsOf(await bank.bring(second, [{}])), [0, 0, 1, 0])
    assert.deepEqual(countsOf(await bank.bring(second, [{}, { text: 'another' }])), [1, 1, 0, 0])
    assert.equal(await held(bank), 1000)
  }
})

onOne('a feed that delivers the second half after the evening file credits nothing twice', async (service) => {
  const bank = await openBank(service)
  const rows = [{ minor: 3_00n }, { minor: 3_00n }, { minor: 3_00n }, { minor: 4_00n }]
  await bank.push('BANKREF-F1', { amount: 3 })
  const file = await bank.bring(exchangeOf, rows)
  assert.deepEqual(countsOf(file), [3, 0, 1, 0])
  for (const [reference, amount] of [
    ['BANKREF-F2', 3],
    ['F3', 3],
    ['F4', 4],
  ] as const)
    await bank.push(reference, { amount })
  assert.deepEqual([await held(bank), await questions(bank)], [13, []])
  // One more than the file has is new money.
  await bank.push('BANKREF-F5', { amount: 3 })
  assert.deepEqual([await held(bank), await questions(bank)], [16, []])
  // The file of the whole day has it, too.
  assert.deepEqual(countsOf(await bank.bring(exchangeOf, [...rows, { minor: 3_00n }])), [0, 4, 1, 0])
  assert.equal(await held(bank), 16)
})

onOne('two equal transfers of one payer on one day stay two, whichever channel is first', async (service) => {
  const row = { payerAccount: senderA, text: 'Перевод' }
  const sender = senderA
  for (const order of [
    ['push', 'push', 'file'],
    ['push', 'file', 'push'],
    ['file', 'push', 'push'],
  ]) {
    const bank = await openBank(service)
    await bank.shop.create('one', { amount: 500 })
    for (const [index, step] of order.entries()) {
      if (step === 'push') await bank.push(`F${index}`, { sender })
      else await bank.bring(exchangeOf, [row, row])
    }
    assert.deepEqual([await held(bank), await questions(bank)], [1000, []], order.join())
  }
})

onOne('rows are of the money of their own day, not of the nearer time', async (service) => {
  const bank = await openBank(service)
  const [today, yesterday] = [before(bank.date, 1), before(bank.date, 2)]
  await bank.push('BANKREF-F1', { bookedAt: at(yesterday, '10:00') })
  await bank.push('BANKREF-F2', { bookedAt: at(today, '10:00') })
  assert.deepEqual(countsOf(await bank.bring(exchangeOf, [{ date: yesterday }, { date: today }])), [0, 0, 2, 0])
  assert.equal(await held(bank), 1000)
})

onEngines('money that the bank dated another day waits for an operator, who decides either way', async (service) => {
  const bank = await openBank(service)
  const pushed = await bank.push('BANKREF-F1', { bookedAt: at(before(bank.date, 1), '23:59') })
  const late = { date: bank.date, text: 'late' }
  const file = await bank.bring(exchangeOf, [late, { ...late, minor: 7_00n }])
  assert.deepEqual(countsOf(file), [2, 0, 0, 1])
  const [doubtful] = await questions(bank)
  assert.deepEqual([doubtful?.duplicateOf, doubtful?.outcome, doubtful?.kind], [pushed, 'ambiguous', 'suspense'])
  assert.match(doubtful?.reasons[0] ?? '', new RegExp(`may be the same money as transfer ${pushed}`))
  assert.equal(await held(bank), 1007)
  const { id = '' } = doubtful ?? {}
  const same = await bank.decide(id, 'ignore', { reason: 'one and the same' })
  assert.deepEqual([same.status, same.body.kind, same.body.parts.length], [200, 'duplicate', 1])
  assert.equal(await held(bank), 507)
  assert.deepEqual(countsOf((await bank.operator.get(`/statements/${file.id}`)).body), [1, 0, 1, 0])
  await bank.decide(id, 'unassign', { reason: 'wrong' })
  const payment = (await bank.shop.create('one', { amount: 502 })).body.payment
  const shares = [{ merchantId: bank.shop.merchantId, paymentId: payment.id, amount: 500 }]
  assert.equal((await bank.decide(id, 'assign', { shares })).status, 200)
  assert.deepEqual(countsOf((await bank.operator.get(`/statements/${file.id}`)).body), [2, 0, 0, 0])
  // As other money it is no duplicate any more: the row of the pushed one may still come.
  const rest = await bank.upload(exchangeOf, [{ date: before(bank.date, 1) }])
  assert.deepEqual(countsOf(rest), [0, 0, 1, 0])
})

onOne('what an operator records by hand is asked about; a file that lists it is not', async (service) => {
  const bank = await openBank(service)
  const record = async (amount: number) => {
    const transfer = { requisiteId: bank.requisiteId, amount, currency: 'rub', bookedAt: at(bank.date, '00:01') }
    return (await bank.operator.call('POST', '/transfers', { transfers: [transfer] })).body.transfers[0]
  }
  await record(3)
  assert.deepEqual(countsOf(await bank.bring(exchangeOf, [{ minor: 3_00n }, { minor: 4_00n }])), [1, 0, 1, 0])
  const asked = await record(4)
  assert.deepEqual([asked.kind, asked.outcome], ['suspense', 'ambiguous'])
  assert.equal((await questions(bank)).length, 1)
})

onOne('a transfer that was booked after the file was imported is other money', async (service) => {
  const bank = await openBank(service)
  await bank.bring(notified, [{ date: before(bank.date, 1) }])
  const bookedAt = new Date(service.clock.now).toISOString()
  await bank.bring(exchangeOf, [{ minor: 3_00n }])
  service.clock.advance(10 * minute)
  await bank.push('BANKREF-F1', { amount: 3, bookedAt: new Date(service.clock.now).toISOString() })
  assert.deepEqual([await held(bank), (await questions(bank)).length], [506, 0])
  await bank.push('BANKREF-F2', { amount: 3, bookedAt })
  assert.deepEqual([await held(bank), (await questions(bank)).length], [506, 0])
})

onOne(
  'reports that contradict each other are two transfers, and so are rows of one channel that differ',
  async (service) => {
    const cases: readonly (readonly [string, Partial<MadeRow>, Partial<MadeRow>, number])[] = [
      ['two references of one kind', { reference: 'BANKREF-A' }, { reference: 'BANKREF-B' }, 0],
      ['one reference', { reference: 'BANKREF-A' }, {}, 1],
      ['two payers', { payerAccount: senderA }, { payerAccount: senderB }, 0],
      ['one payer', { payerAccount: senderA }, { payerAccount: senderA }, 1],
      ['one payer that is known', { payerAccount: senderA }, {}, 1],
    ]
    for (const [title, one, other, expected] of cases) {
      const bank = await openBank(service)
      const times = (made: Made) =>
        notified(made).replace(/<TxDtls>/, '<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>')
      await bank.bring(camtOf, [one])
      assert.equal((await bank.bring(times, [other])).counts.duplicates, expected, title)
      // Within a channel another reference is another transfer; a first one may be of a row that had none.
      const isAsked = one.reference === undefined
      assert.deepEqual(
        countsOf(await bank.bring(camtOf, [{ ...one, reference: 'BANKREF-C', text: 'more' }])),
        [1, 0, 0, isAsked ? 1 : 0],
        title,
      )
    }
  },
)

onOne(
  'a document that is exported again with another text waits for an operator where a number or time identifies it',
  async (service) => {
    // What identifies stays; the text only describes.
    const row = { payerAccount: senderA, reference: '42004200', text: 'Заказ 1' }
    const noNumber = { payerAccount: senderB }
    const cases: readonly (readonly [string, (made: Made) => string, Partial<MadeRow>, Partial<MadeRow>, number[]])[] =
      [
        ['1C: its number, day, payer and amount', exchangeOf, row, { ...row, text: 'Order 1' }, [1, 0, 0, 1]],
        ['1C: another number', exchangeOf, row, { ...row, text: 'Order 1', reference: '43' }, [1, 0, 0, 0]],
        ['1C: another payer', exchangeOf, row, { ...row, text: 'Order 1', payerAccount: senderB }, [1, 0, 0, 0]],
        ['MT940: the reference is the booking', mt940Of, row, { ...row, text: 'Order 1' }, [0, 1, 0, 0]],
        ['camt: the reference is the booking', camtOf, row, { ...row, text: 'Order 1' }, [0, 1, 0, 0]],
        ['camt: a time', notified, { ...noNumber, text: '1' }, { ...noNumber, text: '2' }, [1, 0, 0, 1]],
        ['CSV: the reference is the booking', csvOf, row, { ...row, text: 'Order 1' }, [0, 1, 0, 0]],
      ]
    for (const [title, render, one, other, expected] of cases) {
      const bank = await openBank(service)
      await bank.bring(render, [one])
      assert.deepEqual(countsOf(await bank.bring(render, [other])), expected, title)
      if (expected[1] === 1) continue
      // Both in one file are both known.
      assert.deepEqual(countsOf(await bank.bring(render, [one, other, { minor: 1n }])).slice(0, 2), [1, 2], title)
    }
  },
)

onOne('a document with a third text is asked about the same money, unless a file has both', async (service) => {
  const bank = await openBank(service)
  const row = { payerAccount: senderA, reference: '42' }
  const pushed = await bank.push('BANKREF-F1', { sender: senderA })
  await bank.bring(exchangeOf, [{ ...row, text: 'one' }])
  const again = await bank.bring(exchangeOf, [{ ...row, text: 'two' }])
  const third = await bank.bring(exchangeOf, [{ ...row, text: 'three' }])
  assert.deepEqual(
    [countsOf(again), countsOf(third)],
    [
      [1, 0, 0, 1],
      [1, 0, 0, 1],
    ],
  )
  // The first was the pushed money, and so would the others be.
  const asked = await questions(bank)
  assert.deepEqual(
    asked.map((each) => each.duplicateOf),
    [pushed, pushed],
  )
  assert.match(asked[0]?.reasons[0] ?? '', /an earlier file reported with another text/)
  for (const { id } of asked) await bank.decide(id, 'ignore', { reason: 'the same' })
  assert.equal(await held(bank), 500)
  const both = await bank.bring(exchangeOf, [
    { ...row, text: 'one' },
    { ...row, text: 'four' },
  ])
  assert.deepEqual(countsOf(both), [1, 1, 0, 0])
  assert.equal(await held(bank), 1000)
})

onOne('a file that reports a transfer by its reference does not report it by another row', async (service) => {
  const bank = await openBank(service)
  await bank.push('BANKREF-R1')
  const { id } = await bank.upload(camtOf, [{ reference: 'BANKREF-R2' }, { reference: 'BANKREF-R1' }])
  await openOperator(service, 'boris').call('POST', `/statements/${id}/confirm`)
  await service.runJobs()
  const { counts } = (await bank.operator.get(`/statements/${id}`)).body
  assert.deepEqual([counts.new, counts.alreadyKnown], [1, 1])
  assert.deepEqual(
    (await bank.inbox()).map((each) => each.duplicateOf),
    [undefined, undefined],
  )
  // Nor does a later one of the same kind.
  assert.equal((await bank.upload(camtOf, [{ reference: 'BANKREF-R3' }])).counts.possibleDuplicates, 0)
})

onEngines('an import is not undone while another transfer may duplicate it', async (service) => {
  const bank = await openBank(service)
  // What one person alone has confirmed would give way to the feed.
  const file = await bank.upload(exchangeOf, [{}])
  await openOperator(service, 'boris').call('POST', `/statements/${file.id}/confirm`)
  await service.runJobs()
  const pushed = await bank.push('BANKREF-SBP1')
  const undo = (id: string) => bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'x' })
  assertProblem(await undo(file.id), 409, 'invalid_state')
  await bank.decide(pushed, 'unassign', { reason: 'not the same' })
  assertProblem(await undo(file.id), 409, 'invalid_state')
  await bank.decide(pushed, 'ignore', { reason: 'other', otherMoney: true })
  assert.equal((await undo(file.id)).status, 200)
  await service.runJobs()
  // The original is gone: the same file is new, and the pushed transfer's money.
  const again = await bank.bring(exchangeOf, [{}])
  assert.deepEqual([countsOf(again), await held(bank)], [[0, 0, 1, 0], 500])
  // Of certain duplicates nothing is decided yet.
  assert.equal((await undo(again.id)).status, 200)
  await service.runJobs()
  assert.deepEqual(countsOf((await bank.operator.get(`/statements/${again.id}`)).body), [1, 0, 0, 0])
  assert.deepEqual(countsOf(await bank.bring(exchangeOf, [{}])), [0, 0, 1, 0])
  assert.equal(await held(bank), 500)
})

onEngines('many possible duplicates are decided at once, each with its result and its audit entry', async (service) => {
  const bank = await openBank(service)
  const yesterday = before(bank.date, 1)
  for (const amount of [3, 4, 5]) await bank.push(`F${amount}`, { amount, bookedAt: at(yesterday, '23:59') })
  const file = await bank.bring(
    exchangeOf,
    [3_00n, 4_00n, 5_00n, 6_00n].map((minor) => ({ minor })),
  )
  assert.deepEqual([countsOf(file), await held(bank)], [[4, 0, 0, 3], 30])
  const decide = (body: object) => bank.operator.call('POST', '/transfers/decide', { note: 'x', ...body })
  assertProblem(await decide({}), 400, 'validation_failed')

  const [first, ...rest] = await questions(bank)
  const other = (await bank.inbox()).find((each) => each.duplicateOf === undefined)
  const keyOf = (id = '') => ({ requisiteId: bank.requisiteId, id, decision: 'same-money' })
  const mixed = (await decide({ transfers: [keyOf(first?.id), keyOf(other?.id), keyOf(unknownId)] })).body.transfers
  assert.deepEqual(
    mixed.map((each: { state: string; code?: string }) => [each.state, each.code]),
    [
      ['done', undefined],
      ['refused', 'invalid_state'],
      ['refused', 'resource_not_found'],
    ],
  )

  const all = (await decide({ statementId: file.id, note: 'the same account' })).body.transfers
  assert.deepEqual(
    new Map(all.map((each: { id: string; state: string }) => [each.id, each.state])),
    new Map(rest.map(({ id }) => [id, 'done'])),
  )
  const { action, subject, details } = await bank.operator.lastAudit()
  assert.deepEqual(
    [action, subject, details['together']],
    ['transfer.ignore', `transfer:${bank.requisiteId}/${all[1].id}`, 2],
  )
  assert.deepEqual((await decide({ statementId: file.id })).body.transfers, [])
  const history = (await bank.operator.get(`/statements/${file.id}`)).body
  assert.deepEqual([countsOf(history), await held(bank), await questions(bank)], [[1, 0, 3, 0], 18, []])
  const listed = (await bank.operator.get('/statements')).body.statements.find(
    (each: { id: string }) => each.id === file.id,
  )
  assert.deepEqual(countsOf(listed), [1, 0, 3, 0])
})

onEngines('of two feeds nothing is asked once they are declared to report the same money', async (service) => {
  const bank = await openBank(service)
  const second = await openApprovedFeed(service, `second ${bank.account}`, [bank.requisiteId])
  const bookedAt = new Date(service.clock.now).toISOString()
  const pushSecond = async (bankReference: string, amount: number) =>
    assert.equal((await second([{ amount, currency: 'rub', bookedAt, bankReference }])).status, 200)
  await bank.push('BANKREF-F1', { amount: 3, bookedAt })
  await pushSecond('BANKREF-S1', 3)
  assert.equal((await questions(bank)).length, 1)
  await pushSecond('BANKREF-S0', 2)

  const declare = (id: string, sameMoneyAs: string | null) =>
    bank.operator.call('PATCH', `/statement-sources/${id}`, { sameMoneyAs })
  const declared = await declare(second.sourceId, bank.feed.sourceId)
  assert.deepEqual([declared.status, declared.body.sameMoneyAs], [200, bank.feed.sourceId])
  const wrong = [
    [second.sourceId, second.sourceId],
    [second.sourceId, unknownId],
    [bank.feed.sourceId, second.sourceId],
  ] as const
  for (const [id, sameMoneyAs] of wrong) assertProblem(await declare(id, sameMoneyAs), 400, 'validation_failed')

  // What one person declares makes no money of another source disappear, until somebody else approves it.
  await bank.push('BANKREF-F0', { amount: 2, bookedAt })
  assert.equal((await questions(bank)).length, 2)
  const { sources } = (await bank.operator.get('/statement-sources')).body
  const { version } = sources.find(({ id }: { id: string }) => id === second.sourceId).unapproved
  const approve = `/statement-sources/${second.sourceId}/approve`
  assert.equal((await openOperator(service, 'boris').call('POST', approve, { version })).status, 200)

  // Whichever comes first, and also at the same time.
  await pushSecond('BANKREF-S2', 4)
  await bank.push('BANKREF-F2', { amount: 4, bookedAt })
  await Promise.all(
    [5, 6, 7].flatMap((amount) => [pushSecond(`S${amount}`, amount), bank.push(`F${amount}`, { amount })]),
  )
  const other = { sourceId: second.sourceId }
  const file = await bank.upload(
    exchangeOf,
    [{ minor: 4_00n }, { minor: 8_00n, date: before(bank.date, 1) }],
    {},
    other,
  )
  await bank.push('BANKREF-F8', { amount: 8, bookedAt: at(bank.date, '00:01') })
  assert.deepEqual(countsOf(await bank.confirm(file.id)), [0, 0, 2, 0])
  assert.deepEqual([await held(bank), (await questions(bank)).length], [3 + 3 + 2 + 2 + 4 + 5 + 6 + 7 + 8, 2])
  assert.equal((await declare(second.sourceId, null)).body.sameMoneyAs, undefined)
  await pushSecond('BANKREF-S9', 8)
  assert.equal((await questions(bank)).length, 3)
})

onEngines('pushes during the import of a file count once, whichever is first', async (service) => {
  const bank = await openBank(service)
  const amounts = [3, 3, 3, 4, 5, 6, 7, 8]
  const file = await bank.upload(
    exchangeOf,
    amounts.map((amount) => ({ minor: BigInt(amount) * 100n })),
  )
  const other = await bank.upload(
    camtOf,
    amounts.map((amount, index) => ({ minor: BigInt(amount) * 100n, reference: `C${index}` })),
  )
  for (const { id } of [file, other])
    assert.equal((await bank.operator.call('POST', `/statements/${id}/confirm`)).status, 200)
  await Promise.all([
    runImports(service.context),
    ...amounts.map((amount, index) => bank.push(`F${index}`, { amount })),
    runImports(service.context),
  ])
  await service.runJobs()
  assert.deepEqual([await held(bank), await questions(bank)], [39, []])
  const counts = await Promise.all(
    [file, other].map(async ({ id }) => countsOf((await bank.operator.get(`/statements/${id}`)).body)),
  )
  for (const [added, known, duplicates, possible] of counts) {
    assert.deepEqual([(added ?? 0) + (duplicates ?? 0), known, possible], [amounts.length, 0, 0])
  }
})

onOne('a reversal of a duplicate reverses its original', async (service) => {
  const bank = await openBank(service)
  await bank.bring(exchangeOf, [{}])
  await bank.push('BANKREF-SBP1')
  await bank.push('BANKREF-SBP1', { status: 'reversed' })
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 0)
  assert.deepEqual(await bank.inbox(), [])
})

onEngines('a reconciliation says how much of a difference may have been reported twice', async (service) => {
  const bank = await openBank(service)
  await bank.push('BANKREF-SBP1', { bookedAt: at(before(bank.date, 1), '23:59') })
  await bank.bring(camtOf, [{}], { closedOn: bank.date })
  const compare = async () => {
    const { days } = (await bank.operator.get(`/ledger/reconciliation?requisiteId=${bank.requisiteId}`)).body
    return [days[0].closing, days[0].ledger, days[0].difference, days[0].possibleDuplicates]
  }
  assert.deepEqual(await compare(), [500, 1000, -500, 500])
  const waiting = (await bank.inbox()).find((each) => each.duplicateOf !== undefined)
  await bank.decide(waiting?.id ?? '', 'ignore', { reason: 'the same' })
  assert.deepEqual(await compare(), [500, 500, 0, 0])
})

onOne(
  'a reference that begins again loses nothing: a short one is new money, a long one is asked about',
  async (service) => {
    for (const render of [camtOf, mt940Of, csvOf]) {
      for (const [reference, doubts] of [
        ['7', 0],
        ['00020417', 0],
        ['TX-0042', 0],
        ['BANKREF-7', 1],
      ] as const) {
        const bank = await openBank(service)
        const first = { reference, payer: 'Anna Berg', text: 'Order 1', date: before(bank.date, 21) }
        const later = { reference, payer: 'Anna Berg', text: 'Order 1' }
        const other = { reference, payer: 'Bert Cohn', text: 'Order 2' }
        const title = `${render.name} ${reference}`
        assert.deepEqual(countsOf(await bank.bring(render, [first])), [1, 0, 0, 0], title)
        assert.deepEqual(countsOf(await bank.bring(render, [later])), [1, 0, 0, doubts], `${title}: another day`)
        assert.deepEqual(countsOf(await bank.bring(render, [other])), [1, 0, 0, doubts], `${title}: another payer`)
        // All of them again, in one file.
        const all = [first, later, other, { minor: 1n }]
        assert.deepEqual(countsOf(await bank.bring(render, all)), [1, 3, 0, 0], `${title}: all again`)
        assert.equal(await held(bank), 1500.01, title)
      }
    }
  },
)

onOne('of equal bookings under one reference in one file all but the first are asked about', async (service) => {
  const part = { reference: 'BANKREF-SPLIT-1', payerAccount: senderA }
  for (const [title, decision, sum] of [
    ['the same money', {}, 500],
    ['other money', { otherMoney: true }, 1000],
  ] as const) {
    const bank = await openBank(service)
    const preview = await bank.upload(camtOf, [part, part])
    assert.deepEqual(countsOf(preview), [2, 0, 0, 1], title)
    assert.deepEqual(countsOf(await bank.confirm(preview.id)), [2, 0, 0, 1], title)
    assert.equal(await held(bank), 1000)
    const [asked, ...others] = await questions(bank)
    assert.equal(others.length, 0)
    assert.match(asked?.reasons[0] ?? '', /has the same reference and amount/)
    const { status } = await bank.decide(asked?.id ?? '', 'ignore', { reason: title, ...decision })
    assert.equal(status, 200)
    // An overlapping file has both again.
    assert.deepEqual(countsOf(await bank.bring(camtOf, [{ minor: 1n }, part, part])), [1, 2, 0, 0], title)
    assert.equal(await held(bank), sum + 0.01)
  }
  const bank = await openBank(service)
  await bank.bring(camtOf, [part])
  const statement = await bank.bring(camtOf, [part, part])
  assert.deepEqual(countsOf(statement), [1, 1, 0, 1], 'another file has one more')
  const withdrawn = await bank.operator.call('POST', `/statements/${statement.id}/withdraw`, { reason: 'test' })
  assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body))
  await service.runJobs()
  assert.equal(await held(bank), 500)
  // What a feed has reported twice under references of its own is there twice.
  const fed = await openBank(service)
  for (const reference of ['BANKREF-F1', 'BANKREF-F2']) await fed.push(reference)
  const both = await fed.bring(camtOf, [part, part])
  assert.deepEqual(countsOf(both), [0, 0, 2, 0])
  assert.equal(await held(fed), 1000)
  await assertHealthy(service)
})

/** An MT942: what was booked up to a time of the day, without balances. */
const interimOf = (made: Made): string =>
  mt940Of(made)
    .replace(/^:60F:.*$/m, ':34F:RUB0,\r\n:13D:2601311200+0300')
    .replace(/^:62F:.*\r\n/m, '')

onOne('what interim and final files of a bank say is there once, whatever else they say of it', async (service) => {
  const bank = await openBank(service)
  const debit = { minor: -70_00n, payer: 'Landlord' }
  await bank.bring(interimOf, [{ text: 'Transfer' }, { text: 'Transfer' }, debit])
  // The next one of the day has more.
  assert.deepEqual(
    countsOf(await bank.bring(interimOf, [{ text: 'Transfer' }, { text: 'Transfer' }, debit, { minor: 9_00n }])),
    [1, 3, 0, 0],
  )
  const final = [
    { text: 'Transfer, order 1' },
    { text: 'Transfer, order 2' },
    { text: 'Transfer, order 3' },
    { minor: 9_00n },
    { ...debit, text: 'Rent' },
  ]
  const preview = await bank.upload(mt940Of, final)
  assert.deepEqual(countsOf(preview), [1, 2, 2, 0])
  assert.deepEqual(countsOf(await bank.confirm(preview.id)), [1, 2, 2, 0])
  assert.deepEqual([await held(bank), (await questions(bank)).length], [1500 + 9 - 70, 0])
  assert.deepEqual(countsOf(await bank.bring(interimOf, [{ text: 'Transfer' }])), [0, 1, 0, 0])
  // Two references of one kind are two transfers.
  await bank.bring(interimOf, [{ minor: 5_00n, reference: 'BANKREF-BOOK-1' }])
  assert.deepEqual(countsOf(await bank.bring(mt940Of, [{ minor: 5_00n, reference: 'BANKREF-BOOK-2' }])), [1, 0, 0, 0])
  await assertHealthy(service)
})

onEngines('a statement is withdrawn with bookings that may be one another', async (service) => {
  const bank = await openBank(service)
  const { id } = await bank.bring(camtOf, [{ reference: 'BANKREF-SPLIT-2' }, { reference: 'BANKREF-SPLIT-2' }])
  await bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'test' })
  await service.runJobs()
  assert.equal((await bank.operator.get(`/statements/${id}`)).body.state, 'withdrawn')
  assert.equal(await held(bank), 0)
  await assertHealthy(service)
})

onEngines(
  'other payers or texts under one reference are other money if the balances of their file prove it',
  async (service) => {
    const row = (payer: string, text = 'Order') => ({ reference: 'COLLECTIVE-1', payer, text })
    const rows = [row('Anna Berg'), row('Bert Cohn'), row('Anna Berg', 'Invoice')]
    for (const render of [camtOf, mt940Of]) {
      const bank = await openBank(service)
      const preview = await bank.upload(render, rows)
      assert.deepEqual(countsOf(preview), [3, 0, 0, 0], 'in the preview')
      assert.deepEqual(countsOf(await bank.confirm(preview.id)), [3, 0, 0, 0])
      assert.equal((await questions(bank)).length, 0)
      assert.equal(await held(bank), 1500)
      // A later file repeats the reference: nothing in it proves that its rows are not those.
      const { counts } = await bank.bring(render, [{ minor: 1n }, ...rows.toReversed(), row('Carl Dorn')])
      assert.equal(counts.new - counts.possibleDuplicates, 1)
    }
    // Without balances they wait.
    const bank = await openBank(service)
    const withoutBalances = (made: Made): string => camtOf(made).replace(/<Bal>.*?<\/Bal>/gs, '')
    assert.deepEqual(countsOf(await bank.bring(withoutBalances, rows)), [3, 0, 0, 2])
    // So do those whose reference an earlier file had.
    const other = await openBank(service)
    await other.bring(camtOf, rows.slice(0, 1))
    assert.deepEqual(countsOf(await other.bring(camtOf, rows)), [2, 1, 0, 2])
  },
)

onOne('of equal reversals under one reference in one file the second waits', async (service) => {
  const bank = await openBank(service)
  await bank.bring(camtOf, [{ reference: 'BANKREF-WHOLE', minor: 900_00n }])
  const part = { reference: 'BANKREF-WHOLE', minor: -300_00n, reversal: true as const }
  await bank.bring(camtOf, [part, part])
  await service.runJobs()
  assert.equal(await held(bank), 600)
  const open = (await bank.operator.get('/reversals?limit=100')).body.reversals.filter(
    (each: { requisiteId: string }) => each.requisiteId === bank.requisiteId,
  )
  assert.equal(open.length, 1)
  const path = `/reversals/${bank.requisiteId}/${open[0].id}/assign`
  assert.equal((await bank.operator.call('POST', path, { transferId: open[0].candidates[0] })).status, 200)
  assert.equal(await held(bank), 300)
  assert.deepEqual(countsOf(await bank.bring(camtOf, [part, part, { minor: 1n }])).slice(0, 2), [1, 2])
  assert.equal(await held(bank), 300.01)
  await assertHealthy(service)
})

for (const [title, references, questioned] of [
  ['both', ['PUSHED-ABCDEF', 'SECOND-ABCDEF'], 1],
  ['the first one under another reference', ['LISTED-ABCDEF', 'SECOND-ABCDEF'], 1],
  ['the second one under another reference', ['PUSHED-ABCDEF', 'LISTED-ABCDEF'], 2],
  ['both under other references', ['LISTED-ABCDEF-1', 'LISTED-ABCDEF-2'], 2],
] as const)
  onEngines(`two transfers are not called one where a file lists ${title}`, async (service) => {
    for (const isNewestFirst of questioned === 1 ? [false] : [false, true]) {
      const bank = await openBank(service)
      const { requisiteId } = bank
      const push = await openApprovedFeed(service, `second ${bank.account}`, [requisiteId])
      await bank.push('PUSHED-ABCDEF')
      service.clock.advance(minute)
      const bookedAt = new Date(service.clock.now).toISOString()
      await push([{ amount: 500, currency: 'rub', bookedAt, bankReference: 'SECOND-ABCDEF' }])
      await bank.bringAgreed(
        camtOf,
        references.map((reference) => ({ reference, payer: '' })),
      )
      const transfers = (await questions(bank)).map(({ id }) => ({ requisiteId, id, decision: 'same-money' }))
      assert.equal(transfers.length, questioned)
      const asked = transfers.toSorted((one, other) => (one.id < other.id === isNewestFirst ? 1 : -1))
      const { body } = await bank.operator.call('POST', '/transfers/decide', { note: 'x', transfers: asked })
      const last = body.transfers.at(-1)
      assert.deepEqual([last.state, last.code, await held(bank)], ['refused', 'invalid_state', 1000])
      assert.match(last.message, / lists both it and transfer [0-9a-f-]+: it is other money\.$/)
      const other = { note: 'x', transfers: [{ ...asked.at(-1), decision: 'other-money' }] }
      assert.equal((await bank.operator.call('POST', '/transfers/decide', other)).body.transfers[0].state, 'done')
      assert.deepEqual([await held(bank), await questions(bank)], [1000, []])
    }
    await assertHealthy(service)
  })

for (const first of ['PUSHED-ABCDEF', 'LISTED-ABCDEF'])
  onEngines(`two transfers that were called one are two again once a file lists both (${first})`, async (service) => {
    const bank = await openBank(service)
    const { requisiteId } = bank
    const push = await openApprovedFeed(service, `second ${bank.account}`, [requisiteId])
    const original = await bank.push('PUSHED-ABCDEF')
    service.clock.advance(minute)
    const bookedAt = new Date(service.clock.now).toISOString()
    const { body } = await push([{ amount: 500, currency: 'rub', bookedAt, bankReference: 'SECOND-ABCDEF' }])
    const { id } = body.transfers[0]
    const same = { note: 'x', transfers: [{ requisiteId, id, decision: 'same-money' }] }
    assert.equal((await bank.operator.call('POST', '/transfers/decide', same)).body.transfers[0].state, 'done')
    // A file with one of them says nothing.
    await bank.bringAgreed(camtOf, [{ reference: 'SECOND-ABCDEF' }])
    assert.deepEqual([await held(bank), await questions(bank)], [500, []])
    await bank.bringAgreed(
      camtOf,
      [first, 'SECOND-ABCDEF'].map((reference) => ({ reference, payer: '' })),
    )
    assert.equal(await held(bank), 1000)
    assert.deepEqual(
      (await questions(bank)).map((each) => [each.id, each.duplicateOf]),
      [[id, original]],
    )
    await assertHealthy(service)
  })

// The same money through two channels without a common reference: nothing is credited twice, and nothing is dropped.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf, exchangeOf, type Made, type MadeRow } from '../support/statement-files.ts'

const { onEngines } = shareEngines()

/** A camt.054 whose rows have times of day. */
const notified = (made: Made): string =>
  camtOf(made)
    .replace('camt.053', 'camt.054')
    .replaceAll(/<BookgDt><Dt>([\d-]+)<\/Dt>/g, '<BookgDt><DtTm>$1T00:10:00+03:00</DtTm>')

onEngines(
  'money that a feed pushed and a 1C file reports again waits for an operator, who says that it is the same',
  async (service) => {
    const bank = await openBank(service)
    const name = `bank:${bank.requisiteId}`
    await bank.shop.create('one', { amount: 500 })
    const pushed = await bank.push('SBP1')
    assert.equal(await bank.shop.status('one'), 'paid')

    const preview = await bank.upload(exchangeOf, [{ minor: 500_00n }, { minor: 7_00n }])
    assert.deepEqual([preview.counts.new, preview.counts.possibleDuplicates], [2, 1])
    const { rows } = (await bank.operator.get(`/statements/${preview.id}/rows`)).body
    assert.deepEqual(
      rows.map((row: { state: string; duplicateOf?: string }) => [row.state, row.duplicateOf]),
      [
        ['possible-duplicate', pushed],
        ['new', undefined],
      ],
    )
    await bank.confirm(preview.id)
    const doubtful = (await bank.inbox()).find((each) => each.duplicateOf !== undefined)
    assert.deepEqual([doubtful?.duplicateOf, doubtful?.outcome, doubtful?.kind], [pushed, 'ambiguous', 'suspense'])
    assert.match(doubtful?.reasons[0] ?? '', new RegExp(`may be the same money as transfer ${pushed}`))
    assert.equal(await bank.balanceOf(name), 1007)

    const { id = '' } = doubtful ?? {}
    const same = await bank.decide(id, 'ignore', { reason: 'one and the same' })
    assert.deepEqual([same.status, same.body.kind, same.body.parts.length], [200, 'duplicate', 1])
    assert.equal(await bank.balanceOf(name), 507)
    assertProblem(await bank.decide(id, 'reverse', { reason: 'x' }), 409, 'invalid_state')

    // A longer file reports it again: it stays decided.
    const again = await bank.bring(exchangeOf, [{ minor: 500_00n }, { minor: 7_00n }, { minor: 8_00n }])
    assert.deepEqual([again.counts.alreadyKnown, again.counts.possibleDuplicates], [2, 0])
    assert.equal(await bank.balanceOf(name), 515)

    // The decision is undone: now it is other money, without a payment.
    assert.equal((await bank.decide(id, 'unassign', { reason: 'wrong' })).body.kind, 'suspense')
    assert.equal(await bank.balanceOf(name), 1015)
    const before = await bank.balanceOf('ignored')
    assert.equal((await bank.decide(id, 'ignore', { reason: 'a donation', otherMoney: true })).body.kind, 'ignored')
    assert.deepEqual([await bank.balanceOf(name), (await bank.balanceOf('ignored')) - before], [1015, -500])
  },
)

onEngines('one row of a channel may duplicate each transfer; further rows are new money', async (service) => {
  const bank = await openBank(service)
  await bank.push('SBP1', { amount: 3 })
  await bank.push('SBP2', { amount: 3 })
  const text = 'Перевод'
  const first = await bank.bring(exchangeOf, [{ minor: 3_00n, text }])
  assert.equal(first.counts.possibleDuplicates, 1)
  // The second file reports the first row again, and two more.
  const more = await bank.upload(
    exchangeOf,
    [1, 2, 3].map(() => ({ minor: 3_00n, text, reference: '1' })),
  )
  assert.deepEqual([more.counts.new, more.counts.alreadyKnown, more.counts.possibleDuplicates], [2, 1, 1])
  await bank.confirm(more.id)
  const waiting = await bank.inbox()
  assert.equal(waiting.filter((each) => each.duplicateOf !== undefined).length, 2)
  assert.equal(new Set(waiting.flatMap((each) => each.duplicateOf ?? [])).size, 2)

  // A third channel is compared with the money, not with its possible duplicates.
  const third = await bank.upload(
    camtOf,
    [1, 2, 3, 4].map(() => ({ minor: 3_00n, text })),
  )
  assert.equal(third.counts.possibleDuplicates, 3)
})

onEngines(
  'camt.054 with times and camt.053 with days are compared in either order, and so is a push after a file',
  async (service) => {
    for (const [first, second] of [
      [notified, camtOf],
      [camtOf, notified],
    ] as const) {
      const bank = await openBank(service)
      await bank.shop.create('one', { amount: 500 })
      await bank.shop.create('two', { amount: 501 })
      await bank.bring(first, [{}])
      const reported = await bank.bring(second, [{}])
      assert.equal(reported.counts.possibleDuplicates, 1)
      const [waiting] = await bank.inbox()
      assert.equal(waiting?.outcome, 'ambiguous')
      // Other money after all: it is what another payment waits for.
      await bank.bring(first, [{ minor: 9_00n }])
      const late = await bank.push('P9', { amount: 9 })
      const pushed = (await bank.inbox()).find((each) => each.id === late)
      assert.equal(pushed?.outcome, 'ambiguous')
      const original = (await bank.operator.get(`/transfers/${bank.requisiteId}/${pushed?.duplicateOf}`)).body
      assert.equal(original.amount, 9)
      const one = (await bank.shop.create('three', { amount: 502 })).body.payment
      const shares = [{ merchantId: bank.shop.merchantId, paymentId: one.id, amount: 500 }]
      assert.equal((await bank.decide(waiting?.id ?? '', 'assign', { shares })).status, 200)
      // As other money it is no duplicate any more: the row of its channel may still come.
      assert.equal((await bank.upload(second, [{ text: 'another' }])).counts.possibleDuplicates, 1)
    }
  },
)

const senderA = '40817810000000001111'
const senderB = '40817810000000002222'

onEngines(
  'reports that contradict each other are two transfers, and so are rows of one channel that differ',
  async (service) => {
    const cases: readonly (readonly [string, Partial<MadeRow>, Partial<MadeRow>, number])[] = [
      ['two references of one kind', { reference: 'A' }, { reference: 'B' }, 0],
      ['one reference', { reference: 'A' }, {}, 1],
      ['two payers', { payerAccount: senderA }, { payerAccount: senderB }, 0],
      ['one payer', { payerAccount: senderA }, { payerAccount: senderA }, 1],
      ['one payer that is known', { payerAccount: senderA }, {}, 1],
    ]
    for (const [title, one, other, expected] of cases) {
      const bank = await openBank(service)
      const times = (made: Made) =>
        notified(made).replace(/<TxDtls>/, '<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>')
      await bank.bring(camtOf, [one])
      assert.equal((await bank.bring(times, [other])).counts.possibleDuplicates, expected, title)
      // Within a channel rows that differ are each counted.
      assert.equal(
        (await bank.bring(camtOf, [{ ...one, reference: 'C', text: 'more' }])).counts.possibleDuplicates,
        0,
        title,
      )
    }
  },
)

onEngines('a file that reports a transfer by its reference does not report it by another row', async (service) => {
  const bank = await openBank(service)
  await bank.push('R1')
  const brought = await bank.bring(camtOf, [{ reference: 'R2' }, { reference: 'R1' }])
  assert.deepEqual([brought.counts.new, brought.counts.alreadyKnown], [1, 1])
  assert.deepEqual(
    (await bank.inbox()).map((each) => each.duplicateOf),
    [undefined, undefined],
  )
  // Nor does a later one of the same kind.
  assert.equal((await bank.upload(camtOf, [{ reference: 'R3' }])).counts.possibleDuplicates, 0)
})

onEngines('an import is not undone while another transfer may duplicate it', async (service) => {
  const bank = await openBank(service)
  const file = await bank.bring(exchangeOf, [{}])
  const pushed = await bank.push('SBP1')
  const undo = (id: string) => bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'x' })
  assertProblem(await undo(file.id), 409, 'invalid_state')
  await bank.decide(pushed, 'ignore', { reason: 'the same' })
  assertProblem(await undo(file.id), 409, 'invalid_state')
  await bank.decide(pushed, 'unassign', { reason: 'not the same' })
  await bank.decide(pushed, 'ignore', { reason: 'other', otherMoney: true })
  assert.equal((await undo(file.id)).status, 200)
  await service.runJobs()
  // The original is gone: the same file is new, and may duplicate the pushed transfer.
  assert.equal((await bank.upload(exchangeOf, [{}])).counts.possibleDuplicates, 1)
})

onEngines('a reversal of a duplicate reverses its original', async (service) => {
  const bank = await openBank(service)
  await bank.bring(exchangeOf, [{}])
  const pushed = await bank.push('SBP1')
  await bank.decide(pushed, 'ignore', { reason: 'the same' })
  await bank.push('SBP1', { status: 'reversed' })
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 0)
  assert.deepEqual(await bank.inbox(), [])
})

onEngines('a reconciliation says how much of a difference may have been reported twice', async (service) => {
  const bank = await openBank(service)
  await bank.push('SBP1', { bookedAt: new Date(service.clock.now).toISOString() })
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

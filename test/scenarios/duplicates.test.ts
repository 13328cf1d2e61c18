// The same money through two channels without a common reference: nothing is credited twice, and nothing is dropped.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../src/context.ts'
import { hour } from '../../src/domain/time.ts'
import { bindStatementAccount } from '../../src/statements/bind-statement-account.ts'
import { recordTransfers } from '../../src/transfers/record-transfers.ts'
import { openFeed } from '../support/push.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { camtOf, csvOf, exchangeOf, type Made, type MadeRow, uploadFile } from '../support/statement-files.ts'

const { onEngines } = shareEngines()
const moscow = 3 * 60 * 60 * 1000
let accounts = 0

type Listed = {
  id: string
  requisiteId: string
  outcome: string
  kind: string
  reasons: string[]
  duplicateOf?: string
}

/** A shop with one SBP requisite, the account of its statements, a feed, and what is done with them. */
const openBank = async (service: TestService) => {
  const account = `407028107000000000${String(++accounts).padStart(2, '0')}`
  const shop = await openShop(service, { perMethod: 1 })
  const operator = openOperator(service)
  const created = await shop.create('waits', { amount: 99_999 })
  await shop.create('waits, too', { amount: 99_998 })
  const requisiteId: string = created.body.card.id
  await operator.call('PUT', '/statement-accounts', { number: account, requisiteIds: [requisiteId] })
  const feed = await openFeed(service, `feed ${account}`, [requisiteId])
  const date = new Date(service.clock.now + moscow).toISOString().slice(0, 10)
  const upload = async (
    render: (made: Made) => string,
    rows: readonly Partial<MadeRow>[],
    others: Partial<Made> = {},
  ) => {
    const made = { account, ...others, rows: rows.map((row) => ({ minor: 500_00n, date, ...row })) }
    const fields: Record<string, string> = render === csvOf ? { requisiteId } : {}
    const uploaded = await uploadFile(service, render(made), fields)
    assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
    return uploaded.body
  }
  const confirm = async (id: string) => {
    const confirmed = await operator.call('POST', `/statements/${id}/confirm`)
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
    await service.runJobs()
    return (await operator.get(`/statements/${id}`)).body
  }
  return {
    ...{ account, shop, operator, requisiteId, date, upload, confirm },
    bring: async (...file: Parameters<typeof upload>) => confirm((await upload(...file)).id),
    push: async (bankReference: string, fields: object = {}) => {
      const bookedAt = new Date(service.clock.now).toISOString()
      const pushed = await feed([{ amount: 500, currency: 'rub', bookedAt, bankReference, ...fields }])
      assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
      return pushed.body.transfers[0].id as string
    },
    inbox: async (): Promise<Listed[]> =>
      (await operator.get('/transfers?unmatched=true&limit=500')).body.transfers.filter(
        (each: Listed) => each.requisiteId === requisiteId,
      ),
    decide: (id: string, word: string, body: object) =>
      operator.call('POST', `/transfers/${requisiteId}/${id}/${word}`, body),
    balanceOf: async (name: string): Promise<number> => {
      const { balances } = (await operator.get('/ledger/balances')).body
      return Number(balances.find((each: { account: string }) => each.account === name)?.balance ?? 0)
    },
  }
}

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
  const told = await bank.bring(camtOf, [{ reference: 'R2' }, { reference: 'R1' }])
  assert.deepEqual([told.counts.new, told.counts.alreadyKnown], [1, 1])
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

onEngines('an account is not bound to another first requisite once money was booked on the first', async (service) => {
  const bank = await openBank(service)
  const other = (await bank.shop.create('by card', { method: 'card-to-card', amount: 700, sbpEnabled: false })).body
    .card.id
  const bind = (requisiteIds: string[]) =>
    bank.operator.call('PUT', '/statement-accounts', { number: bank.account, requisiteIds })
  const file = await bank.upload(camtOf, [{}])

  // Bound to another one while the file waits: it is not imported for the former one.
  assert.equal((await bind([other])).status, 200)
  const refused = await bank.operator.call('POST', `/statements/${file.id}/confirm`)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /was bound to other requisites since the file was read/)
  assert.equal((await bind([bank.requisiteId])).status, 200)
  const imported = await bank.confirm(file.id)
  assert.equal(imported.state, 'imported')

  assertProblem(await bind([other]), 400, 'validation_failed', ['requisiteIds'])
  assertProblem(await bind([other, bank.requisiteId]), 400, 'validation_failed', ['requisiteIds'])
  // What was booked long before came through none that is bound now: such a binding can be undone.
  service.clock.advance(hour)
  assert.equal((await bind([bank.requisiteId, other])).status, 200)
  assert.equal((await bind([bank.requisiteId])).status, 200)
  assert.equal((await bank.operator.call('POST', `/statements/${file.id}/withdraw`, { reason: 'x' })).status, 200)
  await service.runJobs()
  assert.equal((await bind([other])).status, 200)
})

onEngines('a requisite stays in a binding once money may have come through it', async (service) => {
  const bank = await openBank(service)
  const other = (await bank.shop.create('by card', { method: 'card-to-card', amount: 700, sbpEnabled: false })).body
    .card.id
  const bind = (requisiteIds: string[]) =>
    bank.operator.call('PUT', '/statement-accounts', { number: bank.account, requisiteIds })
  const push = await openFeed(service, `card of ${bank.account}`, [other])
  const bookedAt = new Date(service.clock.now).toISOString()
  const told = [{ amount: 500, currency: 'rub', bookedAt, bankReference: '1' }]
  assert.equal((await bind([bank.requisiteId, other])).status, 200)
  service.clock.advance(hour)
  assert.equal((await push(told)).body.transfers[0].state, 'recorded')
  const refused = await bind([bank.requisiteId])
  assertProblem(refused, 400, 'validation_failed', ['requisiteIds'])
  assert.match(refused.body.errors[0].message, new RegExp(`^must keep ${other}: money was booked on`))
  assert.equal((await push(told)).body.transfers[0].state, 'already-known')
  assert.equal(await bank.balanceOf(`bank:${other}`), 0)
})

/** A bank's account, a card that is not bound to it, and how money is recorded for the card. */
const openBankAndCard = async (service: TestService) => {
  const bank = await openBank(service)
  const card: string = (await bank.shop.create('by card', { method: 'card-to-card', amount: 700, sbpEnabled: false }))
    .body.card.id
  const reported = {
    ...{ requisiteId: card, currency: 'rub', amount: 500_00n, bookedAt: service.clock.now, source: 'test' },
    ...{ bankReference: 'A1', sender: null },
  }
  return { bank, card, record: (tx: Tx) => recordTransfers(tx, [reported]) }
}

onEngines('binding an account waits for money that is being recorded, and is then refused', async (service) => {
  const { bank, card, record } = await openBankAndCard(service)
  const { binding } = await service.context.transaction(async (tx) => {
    await record(tx)
    const body = { number: bank.account, requisiteIds: [bank.requisiteId, card] }
    const begun = bank.operator.call('PUT', '/statement-accounts', body)
    await sleep(300)
    return { binding: begun }
  })
  assertProblem(await binding, 400, 'validation_failed', ['requisiteIds'])
})

onEngines('recording money waits for an account that is being bound, and sees the binding', async (service) => {
  const { bank, card, record } = await openBankAndCard(service)
  const { recording } = await service.context.transaction(async (tx) => {
    await bindStatementAccount(tx, bank.account, [bank.requisiteId, card])
    const begun = service.context.transaction(record)
    await sleep(300)
    return { recording: begun }
  })
  assert.equal((await recording)[0]?.requisiteId, bank.requisiteId)
})

onEngines('what was imported for one chosen requisite is not imported for another one', async (service) => {
  const bank = await openBank(service)
  const other = (await bank.shop.create('by card', { method: 'card-to-card', amount: 700, sbpEnabled: false })).body
    .card.id
  const account = `unbound ${bank.account}`
  const file = camtOf({ account, rows: [{ minor: 5_00n, date: bank.date }] })
  const first = await uploadFile(service, file, { requisiteId: bank.requisiteId })
  await bank.confirm(first.body.id)
  const longer = camtOf({ account, rows: [5_00n, 6_00n].map((minor) => ({ minor, date: bank.date })) })
  assertProblem(await uploadFile(service, longer, { requisiteId: other }), 422, 'statement_refused')
  const known = await uploadFile(service, longer, { requisiteId: bank.requisiteId })
  assert.deepEqual([known.body.counts.new, known.body.counts.alreadyKnown], [1, 1])

  const rows = [11_00n, 12_00n].map((minor) => ({ minor, date: bank.date, text: `за ${minor} ${account}` }))
  await bank.bring(csvOf, rows)
  const more = csvOf({ account, rows: [...rows, { minor: 13_00n, date: bank.date }] })
  const elsewhere = await uploadFile(service, more, { requisiteId: other })
  assertProblem(elsewhere, 422, 'statement_refused')
  assert.match(elsewhere.body.errors[0].message, new RegExp(`recorded for requisite ${bank.requisiteId} already`))
})

/** A camt message of one booking, reported as a sum or in parts. */
const bookingOf = (
  account: string,
  date: string,
  message: string,
  amounts: readonly number[],
  reference = 'BOOKING-1',
) => {
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const parts = amounts.map(
    (amount, index) =>
      `<TxDtls><Refs><AcctSvcrRef>${reference}P${index}</AcctSvcrRef></Refs><Amt Ccy="RUB">${amount}.00</Amt></TxDtls>`,
  )
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}.001.08"><Bk><Stmt>
<Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct><Ntry><Amt Ccy="RUB">${sum}.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>
${message === 'camt.054' ? `<NtryDtls>${parts.join('')}</NtryDtls>` : ''}</Ntry></Stmt></Bk></Document>`
}

onEngines('a booking that one file reports as a sum and another one in parts is booked once', async (service) => {
  for (const [first, second] of [
    ['camt.053', 'camt.054'],
    ['camt.054', 'camt.053'],
  ] as const) {
    for (const amounts of [[3, 4], [7]]) {
      const bank = await openBank(service)
      const send = async (message: string, told = amounts) =>
        uploadFile(service, bookingOf(bank.account, bank.date, message, told))
      const early = (await send(second)).body
      const brought = await bank.confirm((await send(first)).body.id)
      assert.equal(brought.counts.new, first === 'camt.053' ? 1 : amounts.length)
      // It was read before the other form came: it would count again.
      assertProblem(await bank.operator.call('POST', `/statements/${early.id}/confirm`), 409, 'invalid_state')
      assert.equal((await bank.operator.call('POST', `/statements/${early.id}/discard`)).status, 200)
      const again = await send(second)
      assert.deepEqual(
        [again.status, again.body.counts.new, again.body.counts.alreadyKnown],
        [201, 0, brought.counts.new],
      )
      await bank.confirm(again.body.id)
      assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 7)
      const wrong = await send(second, [4, 5])
      assertProblem(wrong, 422, 'statement_refused')
      assert.match(wrong.body.errors[0].message, /BOOKING-1 was reported before in another form/)
    }
  }
})

onEngines('a booking is not reported in another form while its statement is undone', async (service) => {
  const bank = await openBank(service)
  const send = async (message: string) =>
    (await uploadFile(service, bookingOf(bank.account, bank.date, message, [3, 4]))).body
  const [parts, sum] = [await send('camt.054'), await send('camt.053')]
  await bank.confirm(parts.id)
  assert.equal((await bank.operator.call('POST', `/statements/${parts.id}/withdraw`, { reason: 'x' })).status, 200)
  const refused = await bank.operator.call('POST', `/statements/${sum.id}/confirm`)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /confirm again when it is withdrawn/)
  // What is read now is read in the form that was reported.
  const again = bookingOf(bank.account, bank.date, 'camt.053', [3, 4]).replace('<Bk>', '<Bk >')
  assert.equal((await uploadFile(service, again)).body.counts.alreadyKnown, 2)
  await service.runJobs()
  assert.equal((await bank.confirm(sum.id)).state, 'imported')
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 7)
})

onPostgres(
  'a booking that was reported in another form since its file was confirmed is not imported',
  async (service) => {
    const bank = await openBank(service)
    const send = async (message: string): Promise<string> =>
      (await uploadFile(service, bookingOf(bank.account, bank.date, message, [3, 4]))).body.id
    const [parts, sum] = [await send('camt.054'), await send('camt.053')]
    await bank.confirm(parts)
    // As a release confirmed it that did not look at what is being undone.
    await runSql(
      service,
      `update statements set state = 'importing', confirmed_by = 'x', confirmed_at = now() where id = '${sum}'`,
    )
    await service.runJobs()
    const { state, confirmedBy } = (await bank.operator.get(`/statements/${sum}`)).body
    assert.deepEqual([state, confirmedBy], ['ready', undefined])
    assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 7)
    assertProblem(await bank.operator.call('POST', `/statements/${sum}/confirm`), 409, 'invalid_state')
  },
)

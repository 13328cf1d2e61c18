// Statements of banks as an operator uploads them, over HTTP.
import assert from 'node:assert/strict'
import type { Query } from 'payin-database'
import { day } from '../../src/rules/time.ts'
import { countRecordedElsewhere } from '../../src/engine/statements/duplicates/store.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { sendForm } from '../support/page-states.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, type Shop } from '../support/shop.ts'
import { camtOf, csvOf, encode, exchangeOf, type Made, mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()
const moscow = 3 * 60 * 60 * 1000
const dateOf = (at: number): string => new Date(at + moscow).toISOString().slice(0, 10)

/** Confirms a statement, waits until it is imported and reads it. */
const confirm = async (service: TestService, id: string) => {
  const operator = openOperator(service)
  const confirmed = await operator.call('POST', `/statements/${id}/confirm`)
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  await service.runJobs()
  return (await operator.get(`/statements/${id}`)).body
}

/**
 * A shop with one requisite a method, and an account whose statements are of its SBP requisite. Two payments wait there
 * all the time: what is for a single one might be for it.
 */
const openBoundShop = async (service: TestService, number: string): Promise<{ shop: Shop; requisiteId: string }> => {
  const shop = await openShop(service, { perMethod: 1 })
  const { body } = await shop.create('waits', { amount: 99_999 })
  await shop.create('waits, too', { amount: 99_998 })
  const requisiteId = body.card.id
  const bound = await openOperator(service).call('PUT', '/statement-accounts', {
    accounts: [{ number, requisiteIds: [requisiteId] }],
  })
  assert.equal(bound.status, 200, JSON.stringify(bound.body))
  return { shop, requisiteId }
}

/** What waits in the inbox for a requisite, and what the ledger says is at its bank. */
const held = async (service: TestService, requisiteId: string) => {
  const operator = openOperator(service)
  const { transfers } = (await operator.get('/transfers?unmatched=true&limit=500')).body
  const { balances } = (await operator.get('/ledger/balances')).body
  const bank = balances.find((each: { account: string }) => each.account === `bank:${requisiteId}`)
  return {
    waiting: transfers.filter((each: { requisiteId: string }) => each.requisiteId === requisiteId).length,
    balance: Number(bank?.balance ?? 0),
  }
}

const formats: readonly (readonly [string, (made: Made) => string | Buffer])[] = [
  ['camt', (made) => camtOf(made)],
  ['1c', (made) => encode(exchangeOf(made), 'windows-1251')],
  ['mt940', mt940Of],
  ['csv', csvOf],
]

onEngines('a statement of every format pays its payments, once', async (service) => {
  for (const [index, [format, render]] of formats.entries()) {
    const account = `4070281000000000000${index}`
    const { shop, requisiteId } = await openBoundShop(service, account)
    const fields: Record<string, string> = format === 'csv' ? { requisiteId } : {}
    assert.equal((await shop.create('one', { amount: 5000.37 })).status, 201)
    const date = dateOf(service.clock.now)
    const made: Made = {
      account,
      opening: 100_00n,
      rows: [
        { minor: 5000_37n, date, payer: 'Иванов И. И.', payerAccount: '40817810000000001234', text: 'Перевод' },
        { minor: -700_00n, date, text: 'Комиссия' },
        { minor: 12_00n, date, reference: '7', text: 'Неизвестно' },
        ...(format === '1c' ? [{ minor: 12_00n, date, reference: '7', text: 'Неизвестно' }] : []),
      ],
    }
    const upload = await uploadFile(service, render(made), fields)
    assert.equal(upload.status, 201, JSON.stringify(upload.body))
    assert.deepEqual([upload.body.format, upload.body.state], [format, 'ready'])
    const { rows, new: fresh, outgoing, alreadyKnown } = upload.body.counts
    assert.deepEqual(
      { rows, fresh, outgoing, alreadyKnown },
      { rows: made.rows.length, fresh: made.rows.length, outgoing: 1, alreadyKnown: 0 },
    )
    assert.equal(await shop.status('one'), 'new')
    const imported = await confirm(service, upload.body.id)
    assert.equal(imported.state, 'imported')
    assert.equal(await shop.status('one'), 'paid', format)

    const again = await uploadFile(service, render(made), fields)
    assert.deepEqual([again.status, again.body.id], [200, upload.body.id])

    // An overlapping file brings what is new only, of equal rows the one more.
    const text = 'Ещё'
    const longer: Made = { ...made, rows: [...made.rows, { minor: 12_00n, date, text }, { minor: 12_00n, date, text }] }
    const second = await uploadFile(service, render(longer), fields)
    assert.equal(second.status, 201, JSON.stringify(second.body))
    assert.deepEqual([second.body.counts.new, second.body.counts.alreadyKnown], [2, fresh])
    const { outcomes } = await confirm(service, second.body.id)
    assert.equal(
      outcomes.reduce((sum: number, each: { transfers: number }) => sum + each.transfers, 0),
      2,
    )
  }
})

onOne('what a row says about the bank and the order of its payer speaks in the suggestions', async (service) => {
  for (const [index, [format, render]] of formats.entries()) {
    const account = `4070281000000000001${index}`
    const { shop, requisiteId } = await openBoundShop(service, account)
    const { body } = await shop.create('named-1', { amount: 7000, type: 'staged' })
    const { pathname } = new URL(body.redirectUrl)
    const form = { phone: '+79123456789', name: 'Ivan P.', bank: 'bank-b' }
    assert.equal((await sendForm(service, `/en${pathname.replace(/^\/en/, '')}/details`, form)).status, 303)
    const date = dateOf(service.clock.now)
    const made: Made = {
      account,
      rows: [{ minor: 600_00n, date, text: 'Order named-1, thanks', payerBank: 'ПАО Bank B' }],
    }
    const uploaded = await uploadFile(service, render(made), format === 'csv' ? { requisiteId } : {})
    await confirm(service, uploaded.body.id)
    const { transfers } = (await openOperator(service).get('/transfers?limit=500')).body
    const transfer = transfers.find((each: { requisiteId: string }) => each.requisiteId === requisiteId)
    const suggested = transfer.suggestions.find((each: { orderId: string }) => each.orderId === 'named-1')
    const { order, bank } = suggested.evidence
    assert.deepEqual([order.verdict, bank.verdict], ['supports', 'supports'], `${format} ${JSON.stringify(transfer)}`)
  }
})

onEngines(
  'an account that several requisites share pays the payments of all, and of none by guess',
  async (service) => {
    const account = '40702810900000000020'
    const shop = await openShop(service, { perMethod: 1 })
    const operator = openOperator(service)
    const make = async (
      orderId: string,
      method: string,
      amount: number,
    ): Promise<{ id: string; requisiteId: string }> => {
      const { status, body } = await shop.create(orderId, { method, amount, sbpEnabled: method === 'sbp' })
      assert.equal(status, 201, JSON.stringify(body))
      return { id: body.payment.id, requisiteId: body.card.id }
    }
    const { requisiteId: phone } = await make('by phone', 'sbp', 1001)
    const { requisiteId: card } = await make('by card', 'card-to-card', 1002)
    const bind = (requisiteIds: string[]) =>
      operator.call('PUT', '/statement-accounts', { accounts: [{ number: account, requisiteIds }] })
    assert.equal((await bind([phone, card])).status, 200)
    const date = dateOf(service.clock.now)
    const bring = async (rows: Made['rows']) => {
      const uploaded = await uploadFile(service, mt940Of({ account, rows }))
      assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
      return confirm(service, uploaded.body.id)
    }
    await bring([1001_00n, 1002_00n].map((minor) => ({ minor, date })))
    assert.deepEqual([await shop.status('by phone'), await shop.status('by card')], ['paid', 'paid'])
    assert.deepEqual(await held(service, phone), { waiting: 0, balance: 2003 })

    // The same amount on both: whose it is nobody can tell. A report by the card is of the same account.
    await make('phone again', 'sbp', 1003)
    const { id: paymentId } = await make('card again', 'card-to-card', 1003)
    const pushed = {
      requisiteId: card,
      amount: 1003,
      currency: 'rub',
      bookedAt: new Date(service.clock.now).toISOString(),
    }
    const [recorded] = (
      await operator.call('POST', '/transfers', { transfers: [{ ...pushed, bankReference: 'BANKREF-B7' }] })
    ).body.transfers
    const proven = recorded.suggestions.filter(
      ({ evidence }: { evidence: { amount: { verdict: string } } }) => evidence.amount.verdict === 'proves',
    )
    assert.deepEqual([recorded.requisiteId, recorded.outcome, proven.length], [phone, 'ambiguous', 2])
    const shares = [{ merchantId: shop.merchantId, paymentId, amount: 1003 }]
    const assigned = await operator.call('POST', `/transfers/${phone}/${recorded.id}/assign`, { shares })
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
    assert.equal(await shop.status('card again'), 'paid')
    const again = await bring([{ minor: 1003_00n, date, reference: 'BANKREF-B7' }])
    assert.deepEqual([again.counts.new, again.counts.alreadyKnown], [0, 1])

    // What was booked on its first requisite would be counted twice after another one.
    assertProblem(await bind([card, phone]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
    assertProblem(await bind([phone, unknownId]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
  },
)

onOne('camt.052, and camt.053 without an opening balance, may name the currency of the account', async (service) => {
  const account = '40702810900000000021'
  await openBoundShop(service, account)
  const date = dateOf(service.clock.now)
  const named = camtOf({ account, rows: [{ minor: 77_00n, date, reference: 'BANKREF-N1' }] }).replace(
    '</Id></Acct>',
    '</Id><Ccy>RUB</Ccy></Acct>',
  )
  const report = named
    .replace(/<Bal>[^]*<\/Bal>/, '')
    .replace('camt.053.001.08', 'camt.052.001.08')
    .replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt')
    .replaceAll('Stmt>', 'Rpt>')
  const uploaded = await uploadFile(service, report)
  assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
  assert.deepEqual([uploaded.body.counts.rows, uploaded.body.counts.new], [1, 1])
  const closed = await uploadFile(service, named.replace(/<Bal>(?:(?!<Bal>)[^])*OPBD[^]*?<\/Bal>/, ''))
  assert.equal(closed.status, 201, JSON.stringify(closed.body))
})

onEngines('the same file by five at once is one import', async (service) => {
  const account = '40702810900000000001'
  const { shop } = await openBoundShop(service, account)
  const operator = openOperator(service)
  const date = dateOf(service.clock.now)
  const amounts = Array.from({ length: 10 }, (_, index) => BigInt(2000 + index) * 100n)
  for (const [index, minor] of amounts.entries()) await shop.create(`o${index}`, { amount: Number(minor) / 100 })
  const strangers = Array.from({ length: 1100 }, (_, index) => ({
    minor: BigInt(index % 50) + 1n,
    date,
    text: 'одно и то же',
  }))
  const file = camtOf({ account, rows: [...amounts.map((minor) => ({ minor, date })), ...strangers] })
  const uploads = await Promise.all([1, 2, 3, 4, 5].map(() => uploadFile(service, file)))
  assert.deepEqual(uploads.map(({ status }) => String(status)).toSorted(), ['200', '200', '200', '200', '201'])
  const ids = new Set(uploads.map(({ body }) => body.id))
  assert.equal(ids.size, 1)
  const [id = ''] = ids
  const confirmed = await Promise.all([1, 2, 3, 4, 5].map(() => operator.call('POST', `/statements/${id}/confirm`)))
  assert.deepEqual(
    confirmed.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  await Promise.all([service.runJobs(), service.runJobs(), service.runJobs()])
  const { state, outcomes } = (await operator.get(`/statements/${id}`)).body
  assert.equal(state, 'imported')
  assert.deepEqual(
    outcomes.map((each: { kind: string; transfers: number }) => [each.kind, each.transfers]).toSorted(),
    [
      ['payment', 10],
      ['suspense', 1100],
    ],
  )
  await assertHealthy(service)
  assert.equal(await shop.status('o9'), 'paid')
})

onEngines('different files with the same rows, imported at once, count each row once', async (service) => {
  const account = '40702810900000000002'
  await openBoundShop(service, account)
  const date = dateOf(service.clock.now)
  const rows = Array.from({ length: 1100 }, (_, index) => ({ minor: BigInt(index) + 1n, date, text: 'same' }))
  const extra = (index: number) => ({ minor: 500_000_00n + BigInt(index), date })
  const uploads = await Promise.all(
    [1, 2, 3].map((index) => uploadFile(service, camtOf({ account, rows: [...rows, extra(index)] }))),
  )
  assert.deepEqual(
    uploads.map(({ status }) => status),
    [201, 201, 201],
  )
  const operator = openOperator(service)
  for (const { body } of uploads) await operator.call('POST', `/statements/${body.id}/confirm`)
  await Promise.all([service.runJobs(), service.runJobs()])
  const brought = await Promise.all(
    uploads.map(async ({ body }) => {
      const { state, outcomes } = (await operator.get(`/statements/${body.id}`)).body
      assert.equal(state, 'imported')
      return outcomes.reduce((sum: number, each: { transfers: number }) => sum + each.transfers, 0)
    }),
  )
  assert.equal(
    brought.reduce((sum, count) => sum + count, 0),
    1103,
  )
})

onEngines('an import is withdrawn while nothing was decided on it, and may then come again', async (service) => {
  const account = '40702810900000000003'
  const { shop, requisiteId } = await openBoundShop(service, account)
  const operator = openOperator(service)
  const date = dateOf(service.clock.now)
  const file = mt940Of({
    account,
    rows: [
      { minor: 7_00n, date, reference: 'BANKREF-B1' },
      { minor: 8_00n, date },
    ],
  })
  const { body } = await uploadFile(service, file)
  assertProblem(
    await operator.call('POST', `/statements/${body.id}/withdraw`, { reason: 'early' }),
    409,
    'invalid_state',
  )
  await confirm(service, body.id)
  const withdrawn = await operator.call('POST', `/statements/${body.id}/withdraw`, { reason: 'wrong account' })
  assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body))
  const history = ({ body: { state, withdrawalReason, withdrawnBy } }: Answer) => [state, withdrawalReason, withdrawnBy]
  assert.deepEqual(history(withdrawn), ['withdrawing', 'wrong account', 'operator:operator'])
  const audit = await operator.lastAudit()
  assert.deepEqual([audit.action, audit.subject], ['statement.withdraw', `statement:${body.id}`])
  await service.runJobs()
  const ended = await operator.get(`/statements/${body.id}`)
  assert.deepEqual(history(ended), ['withdrawn', 'wrong account', 'operator:operator'])
  assert.deepEqual(await held(service, requisiteId), { waiting: 0, balance: 0 })

  // The same file comes again as a new one; once a payment took some of its money it stays.
  await shop.create('seven', { amount: 150 })
  const paying = mt940Of({
    account,
    rows: [
      { minor: 7_00n, date, reference: 'BANKREF-B1' },
      { minor: 150_00n, date },
    ],
  })
  const again = await uploadFile(service, file)
  assert.equal(again.status, 201)
  assert.equal(again.body.counts.new, 2)
  const second = await uploadFile(service, paying)
  assert.equal(second.body.counts.new, 2)
  await confirm(service, second.body.id)
  assert.equal(await shop.status('seven'), 'paid')
  const kept = await operator.call('POST', `/statements/${second.body.id}/withdraw`, { reason: 'too late' })
  assertProblem(kept, 409, 'invalid_state')
  assert.equal((await operator.get(`/statements/${second.body.id}`)).body.state, 'imported')
  assert.equal((await operator.call('POST', `/statements/${again.body.id}/discard`)).body.state, 'discarded')
})

onEngines('an import whose transfers another one reports is withdrawn after that one only', async (service) => {
  const account = '40702810900000000013'
  const { requisiteId } = await openBoundShop(service, account)
  const operator = openOperator(service)
  const date = dateOf(service.clock.now)
  const rowOf = (minor: bigint) => ({ minor, date, reference: `R${minor}` })
  const bring = async (minors: readonly bigint[]): Promise<string> => {
    const { body } = await uploadFile(service, mt940Of({ account, rows: minors.map(rowOf) }))
    await confirm(service, body.id)
    return body.id
  }
  const withdraw = async (id: string) => {
    const answer = await operator.call('POST', `/statements/${id}/withdraw`, { reason: 'x' })
    await service.runJobs()
    return answer
  }
  const first = await bring([1_00n, 2_00n])
  const second = await bring([2_00n, 3_00n])
  assertProblem(await withdraw(first), 409, 'invalid_state')
  assert.deepEqual(await held(service, requisiteId), { waiting: 3, balance: 6 })
  assert.equal((await withdraw(second)).status, 200)
  assert.equal((await withdraw(first)).status, 200)
  assert.deepEqual(await held(service, requisiteId), { waiting: 0, balance: 0 })
})

onOne('pending rows move nothing; what the bank takes back is taken back once', async (service) => {
  const account = '40702810900000000004'
  const { shop, requisiteId } = await openBoundShop(service, account)
  const operator = openOperator(service)
  const date = dateOf(service.clock.now)
  await shop.create('paid', { amount: 1000 })
  await shop.create('pending', { amount: 2000 })
  const first = camtOf({
    ...{ account, closedOn: date },
    rows: [
      { minor: 1000_00n, date, reference: 'BANKREF-P' },
      { minor: 2000_00n, date, reference: 'BANKREF-W', pending: true },
      { minor: 9_00n, date, reference: 'BANKREF-S' },
    ],
  })
  const uploaded = await uploadFile(service, first)
  assert.deepEqual([uploaded.body.counts.new, uploaded.body.counts.pending], [2, 1])
  await confirm(service, uploaded.body.id)
  assert.deepEqual([await shop.status('paid'), await shop.status('pending')], ['paid', 'new'])

  const back = camtOf({
    account,
    opening: 1009_00n,
    rows: [
      { minor: -1000_00n, date, reference: 'BANKREF-P', reversal: true },
      { minor: -9_00n, date, reversal: true },
      { minor: -5_00n, date, reversal: true },
    ],
  })
  const taken = await uploadFile(service, back)
  assert.equal(taken.body.counts.reversals, 3)
  await confirm(service, taken.body.id)
  assert.equal(await shop.status('paid'), 'paid')
  assert.deepEqual(await held(service, requisiteId), { waiting: 0, balance: 0 })
  const { rows } = (await operator.get(`/statements/${taken.body.id}/rows`)).body
  assert.deepEqual(
    rows.map((row: { transferId?: string }) => row.transferId !== undefined),
    [true, true, false],
  )

  // Reported again in a longer file, nothing is taken back twice.
  const longer = await uploadFile(service, back.replace('<Id>1</Id>', '<Id>2</Id>'))
  assert.equal(longer.body.counts.alreadyKnown, 3)
  await confirm(service, longer.body.id)
})

onOne('a date is the day in the zone of the account: yesterday pays nothing of today', async (service) => {
  const account = '40702810900000000005'
  // Noon, as in the first minutes of a day the end of the one before is still near enough.
  service.clock.advance(day - ((service.clock.now + moscow + day / 2) % day))
  const { shop } = await openBoundShop(service, account)
  await shop.create('today', { amount: 1234 })
  const yesterday = dateOf(service.clock.now - day)
  const { body } = await uploadFile(service, exchangeOf({ account, rows: [{ minor: 1234_00n, date: yesterday }] }))
  await confirm(service, body.id)
  assert.equal(await shop.status('today'), 'new')
  // A file of the evening before, read a day later, still pays what was booked in its time.
  const date = dateOf(service.clock.now)
  service.clock.advance(day)
  const late = await uploadFile(service, exchangeOf({ account, rows: [{ minor: 1234_00n, date }] }))
  await confirm(service, late.body.id)
  assert.equal(await shop.status('today'), 'paid')
})

onEngines('what was recorded for another requisite is found without reading whole statements', async (service) => {
  const run = <P>(of: Query<P, unknown>, text: string, parameters: P): Promise<unknown[]> =>
    service.context.query({ ...of, name: text.slice(0, 60), text, decode: String }, parameters)
  const change = (text: string) => run({ encode: () => [] } as unknown as Query<object, unknown>, text, {})
  const idOf = (number: string): string => `('00000000-0000-7000-8000-' || lpad((${number})::text, 12, '0'))::uuid`
  try {
    await change(`insert into statements
        (id, state, file_name, accounts, counts, faults, uploaded_by, uploaded_at, confirmed_by, confirmed_at, imported_at)
      select ${idOf('number')}, state, 'x.csv', '[]', '{}', '[]', 'x', now(), case when state = 'imported' then 'x' end, at, at
      from generate_series(1, 40) as number
      cross join lateral (select case number when 2 then 'imported' else 'ready' end as state,
        case number when 2 then now() end as at) as each`)
    await change(`insert into statement_rows (statement_id, position, line, kind, requisite_id, chosen, currency, amount,
        booked_at, fingerprint, dedupe_key, channel, sender_masked, details_sealed, already_known)
      select ${idOf('1 + row % 40')}, row, row, 'booked', ${idOf('1')}, true, 'rub', 1,
        now(), md5(row::text), md5(row::text), 'x', '', '', false
      from generate_series(1, 20000) as row`)
    await change('analyze statement_rows')
    await change('analyze statements')
    const asked = { statementId: '00000000-0000-7000-8000-000000000001', first: 1, last: 4000 }
    const explain = `explain (analyze) ${countRecordedElsewhere.text}`
    const plan = (await run(countRecordedElsewhere, explain, asked)).join('\n')
    const read = [...plan.matchAll(/actual time=\S+ rows=([\d.]+) loops=(\d+)/g)]
    assert.ok(Math.max(...read.map(([, rows, loops]) => Number(rows) * Number(loops))) <= 4000, plan)
  } finally {
    await change(`delete from statement_rows where details_sealed = ''`)
    await change(`delete from statements where file_name = 'x.csv'`)
    await change('analyze statement_rows')
    await change('analyze statements')
  }
})

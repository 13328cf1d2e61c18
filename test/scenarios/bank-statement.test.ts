// The statement of a bank account as it is exported for accounting programs, read again by our own readers.
import assert from 'node:assert/strict'
import { type Entry, formatDecimal, readBankFile } from '../../packages/bank-files/src/bank-files.ts'
import { day } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { randomFrom } from '../support/random.ts'
import { openRefundDesk } from '../support/refund-desk.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { camtOf, type MadeRow, mt940Of } from '../support/statement-files.ts'

const before = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) - days * day).toISOString().slice(0, 10)

type Wanted = { readonly from: string; readonly to: string; readonly format: string; readonly reason?: string }

/** The exported file of a requisite, or why it was refused. */
const exportOf = async (service: TestService, requisiteId: string, wanted: Wanted, by?: 'anna' | 'vera') => {
  const query = new URLSearchParams({ reason: 'Books of the month', ...wanted }).toString()
  const token = by === undefined ? service.operatorToken : service.operatorTokens[by]
  const answer = await fetch(`${service.url}/api/v1/operator/requisites/${requisiteId}/bank-statement?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const isProblem = answer.headers.get('content-type')?.includes('json') === true
  const body = isProblem ? JSON.parse(new TextDecoder().decode(bytes)) : {}
  return { status: answer.status, headers: answer.headers, bytes, body }
}

/** Entries as a format keeps them, in any order. */
const linesOf = (format: string, entries: readonly Entry[]): string[] =>
  entries
    .map(({ booked, direction, kind, amount, reference, number, counterparty, text }) =>
      [
        ...[booked, direction, amount, counterparty.name, counterparty.number, text],
        format === 'camt.053' ? kind : '',
        format === '1c' ? number : reference,
      ].join(' | '),
    )
    .toSorted()

const dotted = (date: string): string => date.split('-').toReversed().join('.')

const expectedOf = (format: string, rows: readonly MadeRow[]): string[] =>
  rows
    .map(({ minor, date, reference = '', payer, payerAccount, text, reversal }) =>
      [
        ...[date, minor > 0n ? 'credit' : 'debit', minor < 0n ? -minor : minor, payer, payerAccount, text],
        format === 'camt.053' ? (reversal ? 'reversal' : 'booked') : '',
        format === '1c' ? `${reference} ${dotted(date)}` : reference,
      ].join(' | '),
    )
    .toSorted()

const sumOf = (rows: readonly MadeRow[]): bigint => rows.reduce((sum, { minor }) => sum + minor, 0n)

onBothEngines('whatever a bank has booked is exported in each format, and read back to the same', async (service) => {
  const random = randomFrom(51)
  const bank = await openBank(service)
  const first = before(bank.date, 4)
  const opened = await bank.operator.call('PUT', '/ledger/opening-balances', {
    balances: [{ requisiteId: bank.requisiteId, day: first, balance: 1000.5, currency: 'rub' }],
    reason: 'first statement',
  })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const rows: MadeRow[] = Array.from({ length: 60 }, (_, index) => ({
    minor: BigInt((random(3) === 0 ? -1 : 1) * (1 + random(90_000))),
    date: before(bank.date, random(5)),
    reference: `REF${String(index).padStart(6, '0')}X`,
    payer: `Иванов & "Сын" ${index}`,
    payerAccount: `408178109000000${String(10_000 + index)}`,
    text: `Заказ <${index}>; оплата`,
  }))
  const taken = rows.find(({ minor }) => minor > 0n)
  assert.ok(taken)
  rows.push({ ...taken, minor: -taken.minor, date: bank.date, reversal: true })
  await bank.bringAgreed(mt940Of, rows)

  for (const format of ['1c', 'camt.053', 'csv']) {
    const days = [first, before(bank.date, 2), before(bank.date, 1), bank.date] as const
    let held = 1000_50n
    for (const [from, to] of [
      [days[0], days[1]],
      [days[2], days[3]],
    ] as const) {
      const wanted = rows.filter(({ date }) => from <= date && date <= to)
      const { status, bytes, headers } = await exportOf(service, bank.requisiteId, { from, to, format })
      assert.equal(status, 200, new TextDecoder().decode(bytes))
      assert.match(headers.get('content-disposition') ?? '', new RegExp(`bank-statement-${from}-${to}`))
      const file = await readBankFile(bytes, { utcOffsetMinutes: 180 })
      assert.deepEqual(linesOf(format, file.entries), expectedOf(format, wanted), `${format} ${from}`)
      // Each begins with what the one before has ended with, and ends with what the ledger holds.
      const after = held + sumOf(wanted)
      const [balance] = file.balances
      if (format === 'csv')
        assert.equal(new TextDecoder().decode(bytes).trimEnd().split(',').at(-1), formatDecimal(after, 2))
      else assert.deepEqual([balance?.opening, balance?.closing, balance?.account], [held, after, bank.account])
      held = after
    }
    assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), Number(held) / 100)
  }
  // The bank's own file and ours are one statement.
  const { bytes } = await exportOf(service, bank.requisiteId, { from: first, to: bank.date, format: 'camt.053' })
  const again = await bank.upload(() => new TextDecoder().decode(bytes), [])
  assert.equal(again.counts.new, 0, JSON.stringify(again.counts))
})

onOneEngine('money that only the ledger has sent is left out until the bank reports it', async (service) => {
  const desk = await openRefundDesk(service)
  const id = await desk.approved(1)
  const today = { from: desk.date, to: desk.date, format: 'csv' }
  const entries = async () =>
    (await readBankFile((await exportOf(service, desk.requisiteId, today)).bytes)).entries.map(
      ({ direction, amount }) => `${direction} ${amount}`,
    )
  assert.deepEqual(await entries(), ['credit 100100'])
  assert.equal((await desk.file({})).status, 200)
  assert.equal(await desk.statusOf(id), 'sent')
  assert.deepEqual(await entries(), ['credit 100100'])
  await desk.bring({ minor: -1001_00n, payer: 'Иванов Иван', text: 'Возврат по заказу ord-1, refund-1' })
  assert.equal(await desk.statusOf(id), 'done')
  assert.deepEqual((await entries()).toSorted(), ['credit 100100', 'debit 100100'])
})

onOneEngine(
  'an account without an opening balance has no balances, and who exported what is recorded',
  async (service) => {
    const bank = await openBank(service)
    await bank.bring(camtOf, [{ minor: 500_00n, reference: 'A1234567890' }])
    const today = { from: bank.date, to: bank.date }
    const exchange = await exportOf(
      service,
      bank.requisiteId,
      { ...today, format: '1c', reason: 'card 2200000000000004' },
      'anna',
    )
    assert.equal(exchange.status, 200)
    const { balances } = await readBankFile(exchange.bytes)
    assert.deepEqual([balances[0]?.opening, balances[0]?.closing, balances[0]?.credits], [null, null, 500_00n])
    const { actor, action, subject, details } = await openOperator(service).lastAudit()
    assert.deepEqual([actor, action, subject], ['operator:anna', 'requisite.export', `requisite:${bank.requisiteId}`])
    assert.deepEqual(details, { ...today, format: '1c', entries: 1, reason: 'card •••• 0004' })
    assertProblem(await exportOf(service, bank.requisiteId, { ...today, format: 'camt.053' }), 400, 'validation_failed')
    // Masked numbers are shown in full only to those who may reveal them.
    assertProblem(await exportOf(service, bank.requisiteId, { ...today, format: '1c' }, 'vera'), 403, 'role_missing')
    const opened = await bank.operator.call('PUT', '/ledger/opening-balances', {
      balances: [{ requisiteId: bank.requisiteId, day: bank.date, balance: 0, currency: 'rub' }],
      reason: 'first statement',
    })
    assert.equal(opened.status, 200)
    for (const wrong of [
      { from: before(bank.date, 1), to: bank.date },
      { from: bank.date, to: before(bank.date, 1) },
      { from: bank.date, to: before(bank.date, -1) },
      { from: '2025-02-30', to: bank.date },
    ])
      assertProblem(await exportOf(service, bank.requisiteId, { ...wrong, format: '1c' }), 400, 'validation_failed')
  },
)

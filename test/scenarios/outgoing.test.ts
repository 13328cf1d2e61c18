// Money that leaves accounts: recorded from statements, and what it was for, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { day, minute } from '../../src/rules/time.ts'
import type { Context } from '../../src/engine/context.ts'
import { listCandidates } from '../../src/engine/transfers/outgoing/candidates/list-candidates.ts'
import { unbookOutgoing } from '../../src/engine/transfers/outgoing/decide-outgoing.ts'
import { openBank } from '../support/bank.ts'
import { assertProblem } from '../support/problem.ts'
import { openShop, payIn } from '../support/shop.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf, csvOf, exchangeOf, type Made, type MadeRow, mt940Of } from '../support/statement-files.ts'
import { turnsOf } from '../support/waiting.ts'

const { onEngines, onOne } = shareEngines()

/** Waits until a session of the service's database waits for a lock. */
const waitUntilLocked = async ({ context }: TestService): Promise<void> => {
  const session = new pg.Client({ connectionString: context.settings.databaseUrl })
  await session.connect()
  try {
    for (let tries = 0; tries < 2000; tries++) {
      const { rowCount } = await session.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (rowCount) return
      await sleep(10)
    }
    assert.fail('nobody waits')
  } finally {
    await session.end()
  }
}

type Outgoing = Record<string, unknown> & {
  requisiteId: string
  id: string
  state: string
  purpose?: string
  amount: number
}

const openAccount = async (service: TestService) => {
  const bank = await openBank(service)
  const { operator, requisiteId } = bank
  const outgoing = async (filter = ''): Promise<Outgoing[]> =>
    (await operator.get(`/outgoing?requisiteId=${requisiteId}&limit=500${filter}`)).body.outgoing
  return {
    ...bank,
    outgoing,
    states: async (): Promise<string[]> =>
      (await outgoing()).map(({ amount, state, purpose }) => `${amount} ${purpose ?? state}`).toReversed(),
    decideOn: async (amount: number, verb: string, body: object) => {
      const state = verb === 'unbook' ? 'booked' : 'unexplained'
      const first = (await outgoing(`&state=${state}`)).find((each) => each.amount === amount)
      assert.ok(first, `no outgoing transfer of ${amount}`)
      return operator.call('POST', `/outgoing/${requisiteId}/${first.id}/${verb}`, body)
    },
    held: () => bank.balanceOf(`bank:${requisiteId}`),
    /** How much more the bank has than the ledger, by the balances that it was given. */
    differences: async (): Promise<number[]> =>
      (await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}`)).body.days.map(
        (each: { difference: number }) => each.difference,
      ),
    close: (date: string, balance: number) =>
      operator.call('PUT', `/requisites/${requisiteId}/closing-balances/${date}`, { balance, currency: 'rub' }),
    open: (date: string, balance: number) =>
      operator.call('PUT', '/ledger/opening-balances', {
        balances: [{ requisiteId, day: date, balance, currency: 'rub' }],
        reason: 'first statement',
      }),
  }
}

const before = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) - days * day).toISOString().slice(0, 10)

onEngines('money out of every format leaves the ledger once, however often it is reported', async (service) => {
  for (const render of [camtOf, exchangeOf, mt940Of, csvOf] as ((made: Made) => string)[]) {
    const bank = await openAccount(service)
    const rows = [{ minor: 900_00n }, { minor: -700_00n, payer: 'Landlord', text: 'Rent' }, { minor: -12_50n }]
    const statement = await bank.bring(render, rows)
    assert.equal(statement.counts.outgoing, 2)
    assert.deepEqual(await bank.states(), ['700 unexplained', '12.5 unexplained'])
    assert.equal(await bank.held(), 187.5)
    await bank.bring(render, [...rows, { minor: -12_50n }])
    assert.deepEqual(await bank.states(), ['700 unexplained', '12.5 unexplained', '12.5 unexplained'])
    assert.equal(await bank.held(), 175)
  }
})

onOne('an honest account reconciles without adjustments, from its opening balance on', async (service) => {
  const bank = await openAccount(service)
  const [first, second] = [before(bank.date, 2), before(bank.date, 1)]
  assert.equal((await bank.open(first, 1000)).status, 200)
  assert.equal((await bank.open(first, 1000)).status, 200)
  assert.equal((await bank.open(first, 1001)).body.code, 'already_exists')
  // Files without the balance of a day.
  await bank.bring(
    csvOf,
    [
      { minor: -300_00n, date: first },
      { minor: 50_00n, date: first },
      { minor: -20_00n, date: second },
    ],
    { opening: 1000_00n },
  )
  await bank.bring(csvOf, [{ minor: 20_00n, reversal: true, date: bank.date }])
  await bank.close(before(first, 1), 1000)
  await bank.close(first, 750)
  await bank.close(second, 730)
  await bank.close(bank.date, 750)
  assert.deepEqual(await bank.differences(), [0, 0, 0, 0])
})

onEngines('a statement takes its outgoing money along when it is withdrawn', async (service) => {
  const bank = await openAccount(service)
  const rows = [{ minor: -700_00n }, { minor: 900_00n }]
  const { id } = await bank.bring(mt940Of, rows)
  assert.equal(await bank.held(), 200)
  const withdraw = (which: string) => bank.operator.call('POST', `/statements/${which}/withdraw`, { reason: 'wrong' })
  const other = await bank.bring(mt940Of, [...rows, { minor: -1_00n }])
  assert.equal((await withdraw(id)).status, 409)
  assert.equal((await withdraw(other.id)).status, 200)
  await service.runJobs()
  assert.equal((await withdraw(id)).status, 200)
  await service.runJobs()
  assert.deepEqual(await bank.states(), ['700 withdrawn', '1 withdrawn'])
  assert.equal(await bank.held(), 0)
  await bank.bring(mt940Of, [{ minor: -700_00n }])
  assert.equal(await bank.held(), -700)
})

onOne('what two kinds of files report left once; what only one of them has is more', async (service) => {
  const bank = await openAccount(service)
  await bank.bring(exchangeOf, [{ minor: -15_00n }, { minor: -15_00n }, { minor: -99_00n }])
  const file = [{ minor: -15_00n }, { minor: -15_00n }, { minor: -15_00n }, { minor: -99_00n }]
  const preview = await bank.upload(csvOf, file)
  assert.deepEqual([preview.counts.new, preview.counts.alreadyKnown], [1, 3])
  const { counts } = await bank.confirm(preview.id)
  assert.deepEqual([counts.new, counts.alreadyKnown], [1, 3])
  assert.equal(await bank.held(), -144)
  await bank.bring(csvOf, [{ minor: -15_00n }, { minor: -15_00n }, { minor: -15_00n }, { minor: -98_00n }])
  assert.equal(await bank.held(), -242)
})

onOne('a fee of every day is another one each day, whichever file reports it', async (service) => {
  const bank = await openAccount(service)
  const fees = (...days: number[]) => days.map((each) => ({ minor: -15_00n, date: `2026-01-0${each}` }))
  await bank.bring(csvOf, fees(1, 2, 3))
  await bank.bring(exchangeOf, fees(4, 5))
  assert.equal(await bank.held(), -75)
  await bank.bring(exchangeOf, fees(3))
  assert.equal(await bank.held(), -75)
})

/** A row that goes to the payer of `openOverpaid`. */
onOne('a balance of a day that is not over yet counts until the next file of the day', async (service) => {
  const bank = await openAccount(service)
  const closed = { closedOn: bank.date }
  await bank.bring(camtOf, [{ minor: 100_00n }], closed)
  assert.deepEqual(await bank.differences(), [0])
  service.clock.advance(minute)
  await bank.bring(camtOf, [{ minor: 100_00n }, { minor: 50_00n }], closed)
  assert.deepEqual(await bank.differences(), [0])

  // Once the day is over, nothing that was said of it is passed over.
  service.clock.advance(2 * day)
  await bank.bring(camtOf, [{ minor: 100_00n }, { minor: 50_00n }, { minor: 7_00n }], closed)
  await bank.close(bank.date, 158)
  assert.deepEqual(await bank.differences(), [1, 0])
})

const toPayer = { payerAccount: '79991112233' }

/** A payer who paid twice and is owed the second payment. */
const openOverpaid = async (service: TestService) => {
  const bank = await openAccount(service)
  const { body } = await bank.shop.create('twice', { amount: 600 })
  const sent = { requisiteId: bank.requisiteId, minor: 600_00n, sender: '+79991112233' }
  await payIn(service, { ...sent, reference: 'BANKREF-P-1' })
  const again = await payIn(service, { ...sent, reference: 'BANKREF-P-2' })
  const decide = async (fields: object = {}) => {
    const wanted = { reference: 'R-1', decision: 'refund', reason: 'paid twice', requisiteId: bank.requisiteId }
    const path = `/overpayments/${bank.shop.merchantId}/${body.payment.id}/decisions`
    const decided = await bank.operator.call('POST', path, { ...wanted, ...fields })
    assert.equal(decided.status, 200, JSON.stringify(decided.body))
    return decided.body
  }
  return { ...bank, paymentId: body.payment.id as string, transferId: again.id, decide }
}

onEngines('a refund and the row of its bank are booked once, whichever comes first', async (service) => {
  const early = await openOverpaid(service)
  const { id } = await early.decide()
  assert.equal(await early.held(), 600)
  await early.bring(mt940Of, [{ minor: -600_00n, ...toPayer }, { minor: -600_00n }])
  assert.equal(await early.held(), 0)
  const [linked] = await early.outgoing('&purpose=refund')
  assert.deepEqual(
    [linked?.['documentId'], linked?.['paymentId'], linked?.['decidedBy']],
    [id, early.paymentId, 'service'],
  )
  assert.equal((await early.outgoing('&state=unexplained')).length, 1)

  const late = await openOverpaid(service)
  await late.bring(csvOf, [{ minor: -600_00n, date: before(late.date, 2), text: 'twice: +7 999 111-22-33' }])
  await late.close(late.date, 600)
  assert.deepEqual(await late.differences(), [0])
  await late.decide()
  assert.equal(await late.held(), 600)
  assert.deepEqual(await late.states(), ['600 refund'])
  assert.deepEqual(await late.differences(), [0])
})

onOne('a refund that the bank has not reported yet is in transit for a week', async (service) => {
  const bank = await openOverpaid(service)
  const list = async (): Promise<{ difference: number; inTransit: number; even: boolean }[]> =>
    (await bank.operator.get(`/ledger/reconciliation?requisiteId=${bank.requisiteId}`)).body.days
  const dayOf = async (date: string) =>
    (await bank.operator.get(`/ledger/reconciliation/${bank.requisiteId}/${date}`)).body
  await bank.decide()
  await bank.close(bank.date, 1200)
  const [today] = await list()
  assert.deepEqual([today?.difference, today?.inTransit, today?.even], [600, 600, true])
  const { inTransit, refundsInTransit } = await dayOf(bank.date)
  assert.equal(inTransit, 600)
  const named = { reference: 'R-1', orderId: 'twice', paymentId: bank.paymentId, amount: 600 }
  assert.deepEqual(
    refundsInTransit.map(
      ({ merchantId: _, merchantName: _name, bookedAt: __, ...each }: object & Record<string, unknown>) => each,
    ),
    [named],
  )

  await bank.bring(csvOf, [{ minor: -600_00n, text: 'twice: +7 999 111-22-33' }])
  await bank.close(bank.date, 600)
  const [sent] = await list()
  assert.deepEqual([sent?.difference, sent?.inTransit, (await dayOf(bank.date)).refundsInTransit], [0, 0, []])

  const silent = await openOverpaid(service)
  await silent.decide()
  service.clock.advance(9 * day)
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const read = await silent.operator.get(`/ledger/reconciliation/${silent.requisiteId}/${date}`)
  assert.deepEqual([read.body.inTransit, read.body.refundsInTransit], [0, []])
})

onOne('money that waits is reported by how long ago its bank booked it', async (service) => {
  const bank = await openOverpaid(service)
  const read = async (): Promise<Map<string, number>> => {
    const { rows } = (await bank.operator.get('/ledger/ageing')).body
    return new Map(
      rows.map(({ kind, age, count, amount }: { kind: string; age: string; count: number; amount: number }) => [
        `${kind} ${age}`,
        count * 1_000_000 + amount,
      ]),
    )
  }
  const earlier = await read()
  assert.ok((earlier.get('overpayments day') ?? 0) >= 1_000_600)
  await bank.bring(csvOf, [
    { minor: -70_00n, date: before(bank.date, 3) },
    { minor: -5_00n, date: before(bank.date, 40) },
    { minor: 40_00n, date: before(bank.date, 10) },
  ])
  const later = await read()
  const added = [...later].flatMap(([key, sum]) =>
    sum === earlier.get(key) ? [] : [[key, sum - (earlier.get(key) ?? 0)]],
  )
  assert.deepEqual(Object.fromEntries(added), {
    'outgoing week': 1_000_070,
    'outgoing older': 1_000_005,
    'transfers month': 1_000_040,
  })
  await bank.decide()
})

onOne(
  'an announced refund is booked to money that went to its payer or names it, and else proposed',
  async (service) => {
    const landlord = { payer: 'Landlord', payerAccount: '40802810000000007777', text: 'Rent' }
    const cases: readonly (readonly [
      title: string,
      rows: readonly Partial<MadeRow>[],
      states: string[],
      proposed: number[],
    ])[] = [
      ['the number of the payer', [toPayer], ['refund'], [0]],
      ['the number of the payer next to rent', [landlord, toPayer], ['unexplained', 'refund'], [0, 0]],
      ['the order in the text', [{ text: 'Return of twice' }], ['refund'], [0]],
      ['the reference in the text', [{ text: 'Refund R-1' }], ['refund'], [0]],
      ['the amount alone', [{ text: 'Rent' }], ['unexplained'], [1]],
      ['another phone', [{ payerAccount: '79990000000' }], ['unexplained'], [0]],
      ['another phone and the order', [{ payerAccount: '79990000000', text: 'twice' }], ['unexplained'], [1]],
      ['two of them', [toPayer, { ...toPayer, text: 'again' }], ['unexplained', 'unexplained'], [1, 1]],
    ]
    for (const [title, rows, states, proposed] of cases) {
      for (const isFirst of [true, false]) {
        const bank = await openOverpaid(service)
        if (isFirst) await bank.decide()
        await bank.bring(
          mt940Of,
          rows.map((row) => ({ minor: -600_00n, payer: '', ...row })),
        )
        if (!isFirst) await bank.decide()
        assert.deepEqual(
          await bank.states(),
          states.map((state) => `600 ${state}`),
          title,
        )
        const found = (await bank.outgoing()).toReversed()
        const announced = found.map(
          (each) =>
            (each['proposals'] as { documentId?: string }[]).filter((one) => one.documentId !== undefined).length,
        )
        assert.deepEqual(announced, proposed, title)
      }
    }
  },
)

onOne('a refund of which only the amount is known is confirmed by an operator, once', async (service) => {
  const bank = await openOverpaid(service)
  const { id } = await bank.decide()
  await bank.bring(mt940Of, [{ minor: -600_00n, payer: '' }])
  assert.equal(await bank.held(), 0)
  const [waiting] = await bank.outgoing()
  const confirm = () =>
    bank.operator.call('POST', `/outgoing/${bank.requisiteId}/${waiting?.id}/confirm`, { documentId: id })
  assert.equal((await confirm()).status, 200)
  assert.deepEqual([await bank.states(), await bank.held()], [['600 refund'], 600])
  assert.equal((await confirm()).body.code, 'invalid_state')
})

onOne('a reversal that was announced and a plain debit of the bank are one', async (service) => {
  for (const isFirst of [true, false]) {
    const bank = await openOverpaid(service)
    const path = `/transfers/${bank.requisiteId}/${bank.transferId}/reverse`
    const reverse = async () => assert.equal((await bank.operator.call('POST', path, { reason: 'bank' })).status, 200)
    if (isFirst) await reverse()
    await bank.bring(mt940Of, [{ minor: -600_00n, ...toPayer }])
    if (!isFirst) await reverse()
    assert.equal(await bank.held(), 600)
    assert.deepEqual(await bank.states(), ['600 reversal'])
  }
})

onEngines('a withdrawn statement gives an announced refund its own posting again', async (service) => {
  const bank = await openOverpaid(service)
  await bank.decide()
  const { id } = await bank.bring(mt940Of, [{ minor: -600_00n, ...toPayer }])
  assert.deepEqual(await bank.states(), ['600 refund'])
  assert.equal((await bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'wrong' })).status, 200)
  await service.runJobs()
  assert.deepEqual([await bank.states(), await bank.held()], [['600 withdrawn'], 600])
})

onEngines('an operator books what was paid, with a reason, and takes it back', async (service) => {
  const bank = await openAccount(service)
  const start = new Map<string, number>()
  for (const name of ['unexplained', 'bank-fees', 'expenses', 'fx:rub']) start.set(name, await bank.balanceOf(name))
  const moved = async (name: string): Promise<number> => (await bank.balanceOf(name)) - (start.get(name) ?? 0)
  await bank.bring(mt940Of, [{ minor: -15_00n }, { minor: -700_00n }, { minor: -2000_00n }])
  assert.equal(await moved('unexplained'), 2715)
  const reason = 'as agreed'
  assert.equal((await bank.decideOn(15, 'book', { purpose: 'fee', reason })).body.state, 'booked')
  assert.equal((await bank.decideOn(700, 'book', { purpose: 'other', reason: 'rent' })).body.reason, 'rent')
  assert.equal((await bank.decideOn(2000, 'book', { purpose: 'settlement', reason })).status, 200)
  const audit = await bank.operator.lastAudit()
  assert.deepEqual([audit.action, audit.details['purpose']], ['outgoing.book', 'settlement'])
  assert.deepEqual(
    [await moved('unexplained'), await moved('bank-fees'), await moved('expenses'), await moved('fx:rub')],
    [0, 15, 700, 2000],
  )
  const { body } = await bank.decideOn(700, 'unbook', { reason: 'wrong' })
  assert.deepEqual([body.state, body.purpose], ['unexplained', undefined])
  assert.deepEqual([await moved('unexplained'), await moved('expenses')], [700, 0])
  assert.equal((await bank.decideOn(700, 'book', { purpose: 'fee', reason })).status, 200)
  assert.equal(await bank.held(), -2715)
  const key = { requisiteId: bank.requisiteId, id: body.id }
  const again = await bank.operator.call('POST', `/outgoing/${key.requisiteId}/${key.id}/book`, {
    purpose: 'fee',
    reason,
  })
  assert.equal(again.body.code, 'invalid_state')
})

onOne('what an operator has booked keeps its statement', async (service) => {
  const bank = await openAccount(service)
  const { id } = await bank.bring(mt940Of, [{ minor: -15_00n }])
  await bank.decideOn(15, 'book', { purpose: 'fee', reason: 'monthly' })
  const withdraw = () => bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'wrong' })
  assert.equal((await withdraw()).status, 409)
  await bank.decideOn(15, 'unbook', { reason: 'wrong' })
  assert.equal((await withdraw()).status, 200)
  assert.equal((await bank.decideOn(15, 'book', { purpose: 'fee', reason: 'late' })).body.code, 'invalid_state')
  await service.runJobs()
  assert.deepEqual([await bank.states(), await bank.held()], [['15 withdrawn'], 0])
})

onEngines('money between own accounts leaves one and reaches the other, and is nothing else', async (service) => {
  const [from, to] = [await openAccount(service), await openAccount(service)]
  await from.bring(mt940Of, [{ minor: -4321_00n, text: 'own money' }])
  const wanted = { purpose: 'own-account', reason: 'to the other account' }
  assert.equal((await from.decideOn(4321, 'book', wanted)).body.code, 'invalid_state')
  await to.bring(mt940Of, [{ minor: 4321_00n, text: 'own money' }])
  const [arrived] = await to.inbox()
  const ignored = await from.balanceOf('ignored')
  const booked = await from.decideOn(4321, 'book', wanted)
  assert.deepEqual([booked.status, booked.body.documentId], [200, arrived?.id])
  assert.deepEqual((await from.operator.lastAudit()).details, { ...wanted, transferId: arrived?.id })
  assert.deepEqual([await from.balanceOf('ignored'), await to.inbox()], [ignored, []])
  assert.deepEqual([await from.held(), await to.held()], [-4321, 4321])
  assert.equal((await to.decide(arrived?.id ?? '', 'unassign', { reason: 'wrong' })).body.code, 'invalid_state')
  assert.equal((await from.decideOn(4321, 'unbook', { reason: 'wrong' })).status, 200)
  assert.equal((await to.decide(arrived?.id ?? '', 'unassign', { reason: 'wrong' })).status, 200)
  assert.equal((await to.inbox()).length, 1)
})

onPostgres(
  'money that is unbooked while it is booked again, or confirmed, is refused, and stays whole',
  async (service) => {
    const [from, to] = [await openAccount(service), await openAccount(service)]
    await from.bring(mt940Of, [{ minor: -5432_00n, text: 'own money' }])
    await to.bring(mt940Of, [{ minor: 5432_00n, text: 'own money' }])
    const wanted = { purpose: 'own-account', reason: 'to the other account' }
    const documentId = service.context.newId()
    for (const [verb, body] of [
      ['book', wanted],
      ['confirm', { documentId, reason: 'was it?' }],
    ] as const) {
      assert.equal((await from.decideOn(5432, 'book', wanted)).status, 200)
      const [booked] = await from.outgoing('&state=booked')
      const { requisiteId = '', id = '' } = booked ?? {}
      const overtaken = await service.context.transaction(async (tx) => {
        const anybody = { actor: 'operator:x', refuseOnePerson: async () => {}, loneReport: async () => null }
        await unbookOutgoing(tx, { requisiteId, id }, { ...anybody, findBound: async () => null })
        const asked = from.operator.call('POST', `/outgoing/${requisiteId}/${id}/${verb}`, body)
        // It has read what it decides on once it waits for this transaction.
        await waitUntilLocked(service)
        return { asked }
      })
      assertProblem(await overtaken.asked, 409, 'invalid_state')
      assert.deepEqual(await from.states(), ['5432 unexplained'])
    }
  },
)

onOne('money that went to the payer is proposed for what it returned, and confirmed once', async (service) => {
  const bank = await openOverpaid(service)
  await bank.bring(mt940Of, [
    { minor: -600_00n, payer: 'Anna', payerAccount: '79991112233', text: 'returned' },
    { minor: -600_00n, payer: 'Landlord', text: 'rent' },
  ])
  const waiting = await bank.outgoing('&state=unexplained')
  const proposed = waiting.map((each) => (each['proposals'] as Record<string, unknown>[]).map((one) => one['orderId']))
  assert.deepEqual(new Set(proposed), new Set([[], ['twice']]))
  const refunded = waiting.find((each) => each['payeeName'] === 'Anna')
  const confirm = (body: object = {}) =>
    bank.operator.call('POST', `/outgoing/${bank.requisiteId}/${refunded?.id}/confirm`, body)
  const target = { merchantId: bank.shop.merchantId, paymentId: bank.paymentId }
  const confirmed = await confirm()
  assert.deepEqual([confirmed.status, confirmed.body.purpose], [200, 'refund'], JSON.stringify(confirmed.body))
  assert.equal((await confirm(target)).body.code, 'invalid_state')
  const owed = async () =>
    (await bank.operator.get(`/overpayments?merchantId=${bank.shop.merchantId}`)).body.overpayments
  assert.deepEqual([await bank.held(), await owed()], [0, []])

  const unbook = `/outgoing/${bank.requisiteId}/${refunded?.id}/unbook`
  assert.equal((await bank.operator.call('POST', unbook, { reason: 'wrong' })).status, 200)
  assert.deepEqual([await bank.held(), (await owed())[0]?.amount], [0, 600])
  assert.equal((await confirm(target)).status, 200)
  assert.deepEqual([await bank.held(), await owed()], [0, []])
})

onOne('money that went to the name of a payer, from whatever account it came, is proposed', async (service) => {
  const bank = await openAccount(service)
  await bank.shop.create('named', { amount: 650 })
  const sent = { requisiteId: bank.requisiteId, senderName: 'Иванов Иван Иванович' }
  for (const [index, minor] of [650_00n, 650_00n, 777_00n].entries())
    await payIn(service, { ...sent, minor, reference: `N-${index}` })
  await bank.bring(mt940Of, [
    { minor: -650_00n, payer: 'IVANOV I. I.', text: 'returned' },
    { minor: -650_00n, payer: 'Petrov Ivan', text: 'rent' },
    { minor: -777_00n, payer: 'Ivan Ivanov' },
  ])
  const proposed = (await bank.outgoing()).map((each) =>
    (each['proposals'] as { purpose: string; reasons: string[] }[]).map(({ purpose, reasons }) => [
      purpose,
      ...reasons,
    ]),
  )
  const reason = 'its payee has the name of the payer'
  assert.deepEqual(proposed.toReversed(), [[['refund', reason]], [], [['reversal', reason]]])
})

onOne('money sent back to a payer takes its transfer back', async (service) => {
  const bank = await openAccount(service)
  const sent = { requisiteId: bank.requisiteId, minor: 777_00n, sender: '+79991112244', reference: 'BANKREF-S-1' }
  const { id } = await payIn(service, sent)
  await bank.bring(mt940Of, [{ minor: -777_00n, payerAccount: '79991112244' }])
  const [waiting] = await bank.outgoing()
  const confirmed = await bank.operator.call('POST', `/outgoing/${bank.requisiteId}/${waiting?.id}/confirm`, {})
  assert.deepEqual([confirmed.status, confirmed.body.purpose], [200, 'reversal'], JSON.stringify(confirmed.body))
  const taken = (await bank.operator.get(`/transfers/${bank.requisiteId}/${id}`)).body
  assert.deepEqual([taken.parts[0].kind, await bank.held()], ['reversed', 0])
  const unbooked = await bank.decideOn(777, 'unbook', { reason: 'wrong' })
  assert.equal(unbooked.body.code, 'invalid_state')
})

onOne('a refund that the bank gives back is owed again: by its reference, or when confirmed', async (service) => {
  const owedTo = async ({ operator, shop }: Awaited<ReturnType<typeof openOverpaid>>): Promise<number[]> =>
    (await operator.get(`/overpayments?merchantId=${shop.merchantId}`)).body.overpayments.map(
      (each: { amount: number }) => each.amount,
    )
  const refunded = async (isAnnounced: boolean) => {
    const bank = await openOverpaid(service)
    if (isAnnounced) await bank.decide()
    await bank.bring(mt940Of, [{ minor: -600_00n, ...toPayer, reference: 'BANKREF-OUT-1' }])
    if (!isAnnounced) await bank.decideOn(600, 'confirm', {})
    assert.deepEqual([await owedTo(bank), await bank.states(), await bank.held()], [[], ['600 refund'], 600])
    return bank
  }
  for (const isAnnounced of [true, false]) {
    const exact = await refunded(isAnnounced)
    const back = { minor: 600_00n, reversal: true as const, reference: 'BANKREF-OUT-1' }
    const { id } = await exact.bring(mt940Of, [back])
    const states = ['600 refund', '600 refund-reversal']
    assert.deepEqual([await owedTo(exact), await exact.states(), await exact.held()], [[600], states, 1200])
    // Reported again, it is the same money.
    await exact.bring(mt940Of, [back, { minor: 1_00n }])
    assert.deepEqual([await owedTo(exact), (await exact.states()).length], [[600], 2])
    const reason = 'wrong'
    const withdrawn = await exact.operator.call('POST', `/statements/${id}/withdraw`, { reason })
    assert.equal(withdrawn.status, 409)
    for (const { id: outgoingId } of await exact.outgoing()) {
      const path = `/outgoing/${exact.requisiteId}/${outgoingId}/unbook`
      assert.equal((await exact.operator.call('POST', path, { reason })).body.code, 'invalid_state')
    }
    // What is owed again is refunded again.
    await exact.decide({ reference: 'R-2' })
    assert.deepEqual([await owedTo(exact), await exact.held()], [[], 601])
  }
  const other = await refunded(true)
  await other.bring(mt940Of, [
    { minor: 600_00n, reversal: true, reference: 'BANKREF-BACK-1', payerAccount: '79990000001' },
    { minor: 600_00n, reversal: true, reference: 'BANKREF-BACK-2', ...toPayer },
  ])
  assert.deepEqual(await owedTo(other), [])
  const waiting = await other.outgoing('&state=unexplained')
  const proposed = waiting.map((each) => (each['proposals'] as { purpose: string }[]).map(({ purpose }) => purpose))
  assert.deepEqual(new Set(proposed), new Set([[], ['refund-reversal']]))
  const confirm = (index: number) =>
    other.operator.call('POST', `/outgoing/${other.requisiteId}/${waiting[index]?.id}/confirm`, {})
  const index = proposed.findIndex(({ length }) => length === 1)
  assert.equal((await confirm(1 - index)).body.code, 'invalid_state')
  const confirmed = await confirm(index)
  assert.deepEqual([confirmed.status, confirmed.body.purpose], [200, 'refund-reversal'], JSON.stringify(confirmed.body))
  assert.deepEqual([await owedTo(other), await other.held()], [[600], 1800])
})

onOne('a refund that comes back as a plain credit is suggested for its payment, and owed again', async (service) => {
  const cases = [
    ['the payee', { payerAccount: '79991112233' }, 1],
    ['the text', { payer: '', text: 'Возврат: счёт получателя закрыт' }, 1],
    ['the amount alone', { payer: '', text: 'Заказ' }, 0],
    ['a word within another one', { payer: '', text: 'Turnaround' }, 0],
  ] as const
  for (const [title, row, count] of cases) {
    const bank = await openOverpaid(service)
    await bank.decide()
    await bank.bring(mt940Of, [{ minor: -600_00n, ...toPayer, reference: 'BANKREF-OUT-1' }])
    service.clock.advance(2 * day)
    const came = new Date(service.clock.now + 3 * 60 * minute).toISOString().slice(0, 10)
    await bank.bring(mt940Of, [{ minor: 600_00n, date: came, ...row }])
    const [waiting] = await bank.inbox()
    const { suggestions } = (await bank.operator.get(`/transfers/${bank.requisiteId}/${waiting?.id}`)).body
    assert.equal(
      suggestions.filter((each: { evidence: { amount: { why: string } } }) =>
        each.evidence.amount.why.includes('may have come back'),
      ).length,
      count,
      title,
    )
    if (count === 0) continue
    const accept = { requisiteId: bank.requisiteId, id: waiting?.id, decision: 'accept' }
    const accepted = await bank.operator.call('POST', '/transfers/decide', { transfers: [accept] })
    assert.equal(accepted.body.transfers?.[0]?.state, 'done', JSON.stringify(accepted.body))
    const { overpayments } = (await bank.operator.get(`/overpayments?merchantId=${bank.shop.merchantId}`)).body
    assert.deepEqual([overpayments[0]?.amount, await bank.held()], [600, 1200], title)
  }
})

onOne('simulated money is never proposed as what real money has returned', async (service) => {
  const bank = await openAccount(service)
  const trial = await openShop(service, { mode: 'sandbox' })
  await trial.create('trial-777', { amount: 777 })
  await trial.simulate('trial-777', { event: 'duplicate' })
  await service.runJobs('all')
  service.clock.advance(minute)
  await service.runJobs('all')
  assert.equal(await trial.status('trial-777'), 'paid')
  await bank.bring(mt940Of, [{ minor: -777_00n, text: 'trial-777 refund', payer: 'KUZNETSOV ANTON' }])
  assert.deepEqual((await bank.outgoing())[0]?.['proposals'], [])
})

test('while names of payees are looked for, others have their turn after each of them', async () => {
  const sent = { requisiteId: '', currency: 'rub', amount: 1n, givenBack: false, bookedAt: 0, payeeIndex: null }
  const outgoing = Array.from({ length: 50 }, (_, index) => ({
    ...sent,
    id: `${index}`,
    number: null,
    name: 'A B',
    text: null,
  }))
  const sql = { query: () => Promise.resolve([]) } as unknown as Context
  const turns = await turnsOf(() => listCandidates(sql, outgoing))
  assert.ok(turns >= 50, `${turns} turns of the loop`)
})

// Files that begin before the opening balance of their account: it has the money of the days before it.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop } from '../support/shop.ts'
import { camtOf, csvOf, exchangeOf, type Made, mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

const before = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) - days * day).toISOString().slice(0, 10)

const openAccount = async (service: TestService) => {
  const bank = await openBank(service)
  const { requisiteId } = bank
  return {
    ...bank,
    open: (date: string, balance: number, by = bank.operator) =>
      by.call('PUT', '/ledger/opening-balances', {
        balances: [{ requisiteId, day: date, balance, currency: 'rub' }],
        reason: 'first statement',
      }),
    close: (date: string, balance: number) =>
      bank.operator.call('PUT', `/requisites/${requisiteId}/closing-balances/${date}`, { balance, currency: 'rub' }),
    held: () => bank.balanceOf(`bank:${bank.requisiteId}`),
    days: async (): Promise<[string, number][]> =>
      (await bank.operator.get(`/ledger/reconciliation?requisiteId=${bank.requisiteId}`)).body.days.map(
        (each: { day: string; difference: number }) => [each.day, each.difference],
      ),
  }
}

onOne('rows from before the opening balance are counted, and are not money once more', async (service) => {
  for (const render of [camtOf, exchangeOf, mt940Of, csvOf] as ((made: Made) => string)[]) {
    const bank = await openAccount(service)
    const [eve, first] = [before(bank.date, 2), before(bank.date, 1)]
    assert.equal((await bank.open(first, 1300)).status, 200)
    const rows = [
      { minor: 500_00n, date: eve },
      { minor: -200_00n, date: eve },
      { minor: 70_00n, date: first },
      { minor: -20_00n, date: first },
    ]
    const { id, counts: preview } = await bank.upload(render, rows, { opening: 1000_00n })
    assert.deepEqual([preview.rows, preview.new, preview.beforeOpening, preview.outgoing], [4, 2, 2, 1])
    const imported = await bank.confirm(id)
    assert.deepEqual([imported.counts.new, imported.counts.beforeOpening], [2, 2])
    const listed = (await bank.operator.get(`/statements/${id}/rows`)).body.rows
    assert.deepEqual(
      listed.map((each: { amount: number }) => each.amount),
      [70, 20],
    )
    assert.equal(await bank.held(), 1350)
    // Of the days before, only the last one's balance says something about the books: it is the opening balance.
    await bank.close(before(eve, 1), 1000)
    await bank.close(eve, 1300)
    await bank.close(first, 1350)
    const days = await bank.days()
    const read = await bank.operator.get(`/ledger/reconciliation/${bank.requisiteId}/${first}`)
    const { opening, movements, ledger, closings, openingBalance } = read.body
    assert.deepEqual([opening, ledger, openingBalance.balance, openingBalance.day], [1300, 1350, 1300, first])
    assert.deepEqual(movements, [
      { kind: 'outgoing', count: 1, amount: -20 },
      { kind: 'transfers', count: 1, amount: 70 },
    ])
    assert.ok(closings.length > 0 && closings.every((each: { difference: number }) => each.difference === 0))
    assert.deepEqual(new Set(days.map(([date]) => date)), new Set([first, eve]))
    assert.deepEqual(new Set(days.map(([, difference]) => difference)), new Set([0]))
  }
})

onEngines('an opening balance moves back to an earlier day, from which files count then', async (service) => {
  const bank = await openAccount(service)
  const [earlier, eve, first] = [before(bank.date, 3), before(bank.date, 2), before(bank.date, 1)]
  assert.equal((await bank.open(first, 1300)).status, 200)
  assert.equal((await bank.open(first, 1301)).body.code, 'already_exists')
  assert.equal((await bank.open(bank.date, 1300)).body.code, 'already_exists')
  const rows = [
    { minor: 500_00n, date: eve },
    { minor: -200_00n, date: eve },
    { minor: 70_00n, date: first },
  ]
  await bank.bring(mt940Of, rows)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  // Another balance may hide money that is missing, even if it is not lower: 1300 were there before something left.
  for (const balance of [1300, 1000, 900, 900]) {
    assert.deepEqual((await bank.open(eve, balance, anna)).body.balances[0].proposed, true)
    assert.equal(await bank.held(), 1370)
  }
  assert.deepEqual(
    (await bank.open(eve, 1000, boris)).body.balances[0].proposed,
    true,
    'another balance than the proposed one',
  )
  const seen = (await anna.get(`/ledger/reconciliation/${bank.requisiteId}/${first}`)).body.openingBalance
  assert.deepEqual(
    [seen.day, seen.balance, seen.proposedDay, seen.proposedBalance, seen.proposedBy],
    [first, 1300, eve, 1000, 'operator:boris'],
  )
  const set = await bank.open(eve, 1000, anna)
  assert.deepEqual([set.body.balances[0].day, set.body.balances[0].proposed], [eve, undefined])
  const { actor, details } = await bank.operator.lastAudit()
  assert.deepEqual([actor, details['day'], details['proposed']], ['operator:anna', eve, undefined])
  assert.equal(await bank.held(), 1070)
  // The file again: its first rows count now.
  const again = await bank.bring(mt940Of, rows)
  assert.deepEqual([again.counts.new, again.counts.alreadyKnown, again.counts.beforeOpening], [2, 1, 0])
  assert.equal(await bank.held(), 1370)
  await bank.close(eve, 1300)
  await bank.close(first, 1370)
  assert.deepEqual(
    (await bank.days()).map(([, difference]) => difference),
    [0, 0],
  )
  for (const by of [anna, boris]) assert.equal((await bank.open(earlier, 1000, by)).status, 200)
  const { openingBalance } = (await anna.get(`/ledger/reconciliation/${bank.requisiteId}/${first}`)).body
  assert.deepEqual([openingBalance.day, await bank.held()], [earlier, 1370])
})

onEngines('an opening balance is not after a payment that waited for money on the account', async (service) => {
  const bank = await openAccount(service)
  service.clock.advance(2 * day)
  const today = before(bank.date, -2)
  const refused = await bank.open(today, 100)
  assert.deepEqual(
    [refused.status, refused.body.errors?.[0]?.field],
    [400, 'balances.0.day'],
    JSON.stringify(refused.body),
  )
  assert.match(refused.body.detail, /when a payment waited for money on it/)
  assert.equal((await bank.open(bank.date, 100)).status, 200)
})

onOne('what else reports money from before the opening balance is refused or passed over', async (service) => {
  const bank = await openAccount(service)
  const early = new Date(service.clock.now - 2 * day).toISOString()
  const ready = await bank.upload(mt940Of, [{ date: before(bank.date, 2) }])
  assert.equal((await bank.open(bank.date, 1000)).status, 200)
  const confirmed = await bank.operator.call('POST', `/statements/${ready.id}/confirm`)
  assert.equal(confirmed.body.code, 'invalid_state')
  assert.match(confirmed.body.detail, /before the opening balance/)
  const pushed = await bank.feed([
    { amount: 500, currency: 'rub', bookedAt: early, bankReference: 'E-1' },
    { amount: 500, currency: 'rub', bookedAt: new Date(service.clock.now).toISOString(), bankReference: 'E-2' },
    { amount: 500, currency: 'rub', bookedAt: early, bankReference: 'E-0', status: 'reversed' },
  ])
  assert.deepEqual(
    pushed.body.transfers.map((each: { state: string }) => each.state),
    ['before-opening', 'recorded', 'before-opening'],
  )
  const transfer = { requisiteId: bank.requisiteId, amount: 500, currency: 'rub', bookedAt: early }
  const typed = await bank.operator.call('POST', '/transfers', { transfers: [transfer] })
  assert.equal(typed.body.errors?.[0]?.field, 'transfers.0.bookedAt', JSON.stringify(typed.body))
  const [waiting] = await bank.inbox()
  const reversed = await bank.decide(waiting?.id ?? '', 'reverse', { reason: 'bank', bookedAt: early })
  assert.equal(reversed.body.errors?.[0]?.field, 'bookedAt')
  assert.equal(await bank.held(), 1500)
})

onEngines('an account begins below zero on the word of two people', async (service) => {
  const bank = await openAccount(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  assert.equal((await bank.open(bank.date, -250, anna)).body.balances[0].proposed, true)
  assert.equal(await bank.held(), 0)
  assert.equal((await bank.open(bank.date, -300, anna)).body.balances[0].proposed, true)
  assert.equal((await bank.open(bank.date, -250, anna)).body.balances[0].proposed, true)
  assert.equal((await bank.open(bank.date, -250, boris)).body.balances[0].proposed, undefined)
  assert.equal(await bank.held(), -250)
  assert.equal((await bank.open(bank.date, -250, boris)).status, 200)
})

onEngines('an account has no first day after a payment that waited on any of its requisites', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  const operator = openOperator(service)
  const { body } = await shop.create('waits', { amount: 50_000 })
  const second: string = body.card.id
  const first = shop.requisiteIds.find((id) => id !== second) ?? ''
  service.clock.advance(2 * day)
  const today = new Date(service.clock.now + 3 * hour).toISOString().slice(0, 10)
  const open = (requisiteId: string) =>
    operator.call('PUT', '/ledger/opening-balances', {
      balances: [{ requisiteId, day: today, currency: 'rub', balance: 50_000 }],
      reason: 'first day',
    })
  const bind = (ids: string[]) =>
    operator.call('PUT', '/statement-accounts', {
      accounts: [{ number: newNumber('account-to-account'), requisiteIds: ids }],
    })
  assert.equal((await bind([first, second])).status, 200)
  assertProblem(await open(first), 400, 'validation_failed', ['balances.0.day'])
  assertProblem(await open(second), 400, 'validation_failed', ['balances.0.requisiteId'])

  const [other = ''] = (await openShop(service, { perMethod: 1 })).requisiteIds
  assert.equal((await open(other)).status, 200)
  assertProblem(await bind([other, second]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
})

onEngines('balances of a file are set together; one that is refused is named, and none is set', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const [one = '', two = ''] = shop.requisiteIds
  const today = new Date(service.clock.now + 3 * hour).toISOString().slice(0, 10)
  const open = (rows: readonly (readonly [string, number, string?])[], by = anna, more = {}) =>
    by.call('PUT', '/ledger/opening-balances', {
      balances: rows.map(([requisiteId, balance, currency = 'rub']) => ({
        requisiteId,
        day: today,
        balance,
        currency,
      })),
      ...{ reason: 'first statements', ...more },
    })
  const held = async (id: string): Promise<number> =>
    (await anna.get(`/ledger/reconciliation/${id}/${today}`)).body.ledger
  const tomorrow = new Date(service.clock.now + 3 * hour + day).toISOString().slice(0, 10)
  const balances = [tomorrow, today].map((each) => ({ requisiteId: one, day: each, balance: 1, currency: 'rub' }))
  const twice = await anna.call('PUT', '/ledger/opening-balances', { balances, reason: 'x' })
  assertProblem(twice, 400, 'validation_failed', ['balances.0.day', 'balances.1.requisiteId'])
  assertProblem(
    await open([
      [one, 100],
      [two, 200, 'kzt'],
    ]),
    400,
    'validation_failed',
    ['balances.1.currency'],
  )
  assert.deepEqual(
    (
      await open(
        [
          [one, 100],
          [two, -200],
        ],
        anna,
        { dryRun: true },
      )
    ).body.balances[1].proposed,
    true,
  )
  assert.deepEqual([await held(one), await held(two)], [0, 0])

  const byAnna = await open([
    [one, 100],
    [two, -200],
  ])
  assert.deepEqual(
    byAnna.body.balances.map((each: { requisiteId: string; proposed?: true }) => [each.requisiteId, each.proposed]),
    [
      [one, undefined],
      [two, true],
    ],
  )
  assert.deepEqual([await held(one), await held(two)], [100, 0])
  assertProblem(
    await open(
      [
        [one, 101],
        [two, -200],
      ],
      boris,
    ),
    409,
    'already_exists',
    ['balances.0'],
  )
  assert.equal(await held(two), 0)
  assert.equal(
    (
      await open(
        [
          [one, 100],
          [two, -200],
        ],
        boris,
      )
    ).body.balances[1].proposed,
    undefined,
  )
  assert.deepEqual([await held(one), await held(two)], [100, -200])
  const entries = (await anna.get('/audit?limit=2')).body.entries
  assert.deepEqual(
    new Set(entries.map((each: { subject: string }) => each.subject)),
    new Set([`requisite:${one}`, `requisite:${two}`]),
  )
})

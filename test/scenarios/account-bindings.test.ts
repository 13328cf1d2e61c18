// Accounts that several requisites share: money stays on the requisite where it was booked.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../src/engine/context.ts'
import { hour } from '../../src/rules/time.ts'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { bindStatementAccounts } from '../../src/engine/statements/bind-statement-account.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { openBank } from '../support/bank.ts'
import { openFeed } from '../support/push.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber } from '../support/shop.ts'
import { camtOf, csvOf, mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

onEngines('an account is not bound to another first requisite once money was booked on the first', async (service) => {
  const bank = await openBank(service)
  const other = (await bank.shop.create('by card', { method: 'card-to-card', amount: 700, sbpEnabled: false })).body
    .card.id
  const bind = (requisiteIds: string[]) =>
    bank.operator.call('PUT', '/statement-accounts', { accounts: [{ number: bank.account, requisiteIds }] })
  const file = await bank.upload(camtOf, [{}])

  // Bound to another one while the file waits: it is not imported for the former one.
  assert.equal((await bind([other])).status, 200)
  const refused = await bank.operator.call('POST', `/statements/${file.id}/confirm`)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /was bound to other requisites since the file was read/)
  assert.equal((await bind([bank.requisiteId])).status, 200)
  const imported = await bank.confirm(file.id)
  assert.equal(imported.state, 'imported')

  assertProblem(await bind([other]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
  assertProblem(await bind([other, bank.requisiteId]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
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
    bank.operator.call('PUT', '/statement-accounts', { accounts: [{ number: bank.account, requisiteIds }] })
  const push = await openFeed(service, `card of ${bank.account}`, [other])
  const bookedAt = new Date(service.clock.now).toISOString()
  const reports = [{ amount: 500, currency: 'rub', bookedAt, bankReference: '1' }]
  assert.equal((await bind([bank.requisiteId, other])).status, 200)
  service.clock.advance(hour)
  assert.equal((await push(reports)).body.transfers[0].state, 'recorded')
  const refused = await bind([bank.requisiteId])
  assertProblem(refused, 400, 'validation_failed', ['accounts.0.requisiteIds'])
  assert.match(refused.body.errors[0].message, new RegExp(`^must keep ${other}: money was booked on`))
  assert.equal((await push(reports)).body.transfers[0].state, 'already-known')
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
    const body = { accounts: [{ number: bank.account, requisiteIds: [bank.requisiteId, card] }] }
    const begun = bank.operator.call('PUT', '/statement-accounts', body)
    await sleep(300)
    return { binding: begun }
  })
  assertProblem(await binding, 400, 'validation_failed', ['accounts.0.requisiteIds'])
})

onEngines('recording money waits for an account that is being bound, and sees the binding', async (service) => {
  const { bank, card, record } = await openBankAndCard(service)
  const { recording } = await service.context.transaction(async (tx) => {
    await bindStatementAccounts(tx, [{ number: bank.account, requisiteIds: [bank.requisiteId, card] }], 'operator:x')
    const begun = service.context.transaction(record)
    await sleep(300)
    return { recording: begun }
  })
  assert.equal((await recording)[0]?.requisiteId, bank.requisiteId)
})

onOne('what was imported for one chosen requisite is not imported for another one', async (service) => {
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
  assert.match(elsewhere.body.errors[0].message, /already recorded for the requisite ".+", from the file/)
})

onEngines(
  'money of an account that files have booked on one requisite is not booked on another one',
  async (service) => {
    const bank = await openBank(service)
    const other = await openBank(service)
    const account = `40702810${bank.account.slice(-2)}0000${service.engine.length}99901`
    const bind = (requisiteIds: string[]) =>
      bank.operator.call('PUT', '/statement-accounts', { accounts: [{ number: account, requisiteIds }] })
    const upload = (rows: bigint[]) =>
      uploadFile(service, camtOf({ account, rows: rows.map((minor) => ({ minor, date: bank.date })) }), {
        requisiteId: bank.requisiteId,
      })
    const first = await upload([5_01n])
    await bank.confirm(first.body.id)
    assertProblem(await bind([other.requisiteId]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
    assert.equal(
      (await bank.operator.call('POST', `/statements/${first.body.id}/withdraw`, { reason: 'x' })).status,
      200,
    )
    await service.runJobs()
    assert.equal((await bind([other.requisiteId])).status, 200)

    // Whoever chooses a requisite for a file is not overruled by what the account was bound to meanwhile.
    const refused = await upload([6_01n, 7_01n])
    assertProblem(refused, 422, 'statement_refused')
    assert.match(refused.body.errors[0].message, /^The money of the account .* is booked on the requisite ".+", not on/)
    assert.equal((await bind([bank.requisiteId])).status, 200)
    assert.equal((await upload([6_01n, 7_01n])).status, 201)
  },
)

onOne(
  'a requisite with the number of an account whose money is booked on another one is not added',
  async (service) => {
    const bank = await openBank(service)
    const [number, bound] = [newNumber('account-to-account'), newNumber('account-to-account')]
    const { body } = await bank.shop.create('by phone', { amount: 701, method: 'sbp' })
    const wanted = { currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov', method: 'account-to-account' }
    const add = (more: object) => bank.operator.call('POST', '/requisites', { requisites: [{ ...wanted, ...more }] })
    const row = { minor: 701_00n, date: bank.date, reference: `ONLY${number.slice(-8)}` }
    const file = (account: string) => camtOf({ account, rows: [row] })
    const { body: uploaded } = await uploadFile(service, file(number), { requisiteId: body.card.id })
    await bank.confirm(uploaded.id)

    for (const dryRun of [true, false]) {
      const refused = await bank.operator.call('POST', '/requisites', { requisites: [{ ...wanted, number }], dryRun })
      assertProblem(refused, 400, 'validation_failed', ['requisites.0.number'])
      assert.match(refused.body.errors[0].message, new RegExp(`booked on ${body.card.id}: bind the account`))
    }
    const bind = (spelling: string, requisiteId: string) =>
      bank.operator.call('PUT', '/statement-accounts', {
        accounts: [{ number: spelling, requisiteIds: [requisiteId] }],
      })
    assert.equal((await bind(`044525225/${number}`, body.card.id)).status, 200)
    assert.equal((await add({ number })).status, 201)
    const again = await uploadFile(service, mt940Of({ account: `044525225/${number}`, rows: [row] }))
    assert.equal(again.body.accounts[0].requisiteId, body.card.id)
    assert.equal((await uploadFile(service, file(number))).body.accounts[0].requisiteId, body.card.id)

    // The code of its bank makes it no other account, so nobody turns real money into simulated money, or back.
    assert.equal((await bind(`044525225/${bound}`, body.card.id)).status, 200)
    assertProblem(await add({ number: bound, mode: 'sandbox' }), 400, 'validation_failed', ['requisites.0.number'])
    const simulated = await add({ number: newNumber('account-to-account'), mode: 'sandbox' })
    assertProblem(await bind(bound, simulated.body.ids[0]), 400, 'validation_failed', ['accounts.0.requisiteIds'])
    assert.equal((await bind(`${bound}/RUB`, body.card.id)).status, 200)
  },
)

onEngines('accounts of a file are bound together; one that is refused is named, and none is bound', async (service) => {
  const { operator, shop, date } = await openBank(service)
  const [one = '', two = ''] = shop.requisiteIds
  const [first, second] = [newNumber('account-to-account'), newNumber('account-to-account')]
  const bind = (rows: readonly (readonly [string, string])[], dryRun = false) => {
    const accounts = rows.map(([number, requisiteId]) => ({ number, requisiteIds: [requisiteId] }))
    return operator.call('PUT', '/statement-accounts', { accounts, dryRun })
  }
  const isKnown = async (account: string): Promise<boolean> =>
    (await uploadFile(service, camtOf({ account, rows: [{ minor: 1_00n, date }] }))).status < 300
  const refused = await bind([
    [first, one],
    [second, 'unknown'],
    [` ${first}`, two],
  ])
  assertProblem(refused, 400, 'validation_failed', ['accounts.1.requisiteIds.0'])
  const wrong = await bind([
    [first, one],
    [second, service.context.newId()],
    [` ${first}`, two],
  ])
  assertProblem(wrong, 400, 'validation_failed', ['accounts.1.requisiteIds', 'accounts.2.number'])
  assert.equal(
    (
      await bind(
        [
          [first, one],
          [second, two],
        ],
        true,
      )
    ).status,
    200,
  )
  assert.deepEqual([await isKnown(first), await isKnown(second)], [false, false])
  const bound = await bind([
    [first, one],
    [second, two],
  ])
  assert.deepEqual(bound.body.accounts[1].requisiteIds, [two])
  assert.deepEqual([await isKnown(first), await isKnown(second)], [true, true])
})

/** A bank, another requisite of its shop, and files of an account that is bound to neither. */
const openChoices = async (service: TestService, account: (ofBank: string) => string) => {
  const bank = await openBank(service)
  const other: string = (await bank.shop.create('by card', { method: 'card-to-card', amount: 700, sbpEnabled: false }))
    .body.card.id
  const upload = (requisiteId: string, amounts: readonly bigint[], currency = 'rub') => {
    const rows = amounts.map((minor) => ({ minor, date: bank.date, text: `за ${minor} ${account(bank.account)}` }))
    return uploadFile(service, camtOf({ account: account(bank.account), currency, rows }), { requisiteId })
  }
  return { bank, other, upload }
}

onEngines('a file is not for another requisite than the one that has the money of its account', async (service) => {
  const { bank, other, upload } = await openChoices(service, (account) => `chosen ${account}`)
  const first = await upload(bank.requisiteId, [5_00n])
  const meanwhile = await upload(other, [5_00n, 6_00n])
  assert.deepEqual([first.status, meanwhile.status], [201, 201])
  await bank.confirm(first.body.id)

  // Three of four rows are new to the service.
  const refused = await upload(other, [5_00n, 7_00n, 8_00n, 9_00n])
  assertProblem(refused, 422, 'statement_refused')
  assert.match(
    refused.body.errors[0].message,
    /^Imported files have booked the money of the account •••• \d{4} on the requisite ".+": choose that one, bind the account to it, or withdraw those files first\.$/,
  )
  const late = await bank.operator.call('POST', `/statements/${meanwhile.body.id}/confirm`)
  assertProblem(late, 409, 'invalid_state')
  assert.match(late.body.detail, /^The money of the account .+ was booked on another requisite since the file was read/)

  const further = await upload(bank.requisiteId, [5_00n, 7_00n])
  assert.deepEqual([further.body.counts.new, further.body.counts.alreadyKnown], [1, 1])
  assert.equal((await bank.operator.call('POST', `/statements/${first.body.id}/withdraw`, { reason: 'x' })).status, 200)
  await service.runJobs()
  const moved = await upload(other, [5_00n, 7_00n, 8_00n, 9_00n])
  assert.deepEqual([moved.status, moved.body.counts.new], [201, 4])
})

onOne('an account in two currencies has a requisite for each', async (service) => {
  const { bank, upload } = await openChoices(service, (account) => `euro ${account}`)
  const [euro = ''] = await service.context.transaction(async (tx) => {
    await setLimits(tx, null, { currency: 'eur', min: 1_00n, max: 10_000_00n })
    const shared = { mode: 'live', method: 'account-to-account', currency: 'eur', transferScope: null } as const
    const number = newNumber('account-to-account')
    const of = { merchantId: bank.shop.merchantId, bankIssuer: 'bank-a', holder: 'Shop', limits: {} }
    return addRequisites(tx, [{ ...shared, ...of, number }])
  })
  await bank.confirm((await upload(bank.requisiteId, [5_00n])).body.id)
  const uploaded = await upload(euro, [6_00n], 'eur')
  assert.deepEqual([uploaded.status, uploaded.body.accounts?.[0].requisiteId], [201, euro])
})

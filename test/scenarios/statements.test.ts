// Statements of banks as an operator uploads them, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day } from '../../src/domain/time.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import {
  camtOf,
  csvOf,
  encode,
  exchangeOf,
  type Made,
  type MadeRow,
  mt940Of,
  uploadFile,
} from '../support/statement-files.ts'

const today = (service: TestService): string =>
  new Date(service.clock.now + 3 * 60 * 60 * 1000).toISOString().slice(0, 10)

/** Confirms a statement, waits until it is imported and tells it. */
const confirm = async (service: TestService, id: string) => {
  const operator = openOperator(service)
  const confirmed = await operator.call('POST', `/statements/${id}/confirm`)
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  await service.runJobs()
  return (await operator.get(`/statements/${id}`)).body
}

const bind = async (service: TestService, number: string, requisiteId: string): Promise<void> => {
  const bound = await openOperator(service).call('PUT', '/statement-accounts', { number, requisiteId })
  assert.equal(bound.status, 200, JSON.stringify(bound.body))
}

/** A shop with one requisite a method, and an account whose statements are of its SBP requisite. */
const openBoundShop = async (service: TestService, account: string): Promise<{ shop: Shop; requisiteId: string }> => {
  const shop = await openShop(service, { perMethod: 1 })
  const first = await shop.create('opening', { amount: 99_999 })
  await bind(service, account, first.body.card.id)
  return { shop, requisiteId: first.body.card.id }
}

const formats: readonly (readonly [string, (made: Made) => string | Buffer])[] = [
  ['camt', (made) => camtOf(made)],
  ['1c', (made) => encode(exchangeOf(made), 'windows-1251')],
  ['mt940', mt940Of],
  ['csv', csvOf],
]

onBothEngines('a statement of every format pays its payments, once', async (service) => {
  for (const [index, [format, render]] of formats.entries()) {
    const account = `4070281000000000000${index}`
    const { shop, requisiteId } = await openBoundShop(service, account)
    assert.equal((await shop.create('one', { amount: 5000.37 })).status, 201)
    const date = today(service)
    const made: Made = {
      account,
      opening: 100_00n,
      rows: [
        { minor: 5000_37n, date, payer: 'Иванов И. И.', payerAccount: '40817810000000001234', text: 'Перевод' },
        { minor: -700_00n, date, text: 'Комиссия' },
        { minor: 12_00n, date, text: 'Неизвестно' },
        { minor: 12_00n, date, text: 'Неизвестно' },
      ],
    }
    const upload = await uploadFile(service, render(made), format === 'csv' ? { requisiteId } : {})
    assert.equal(upload.status, 201, JSON.stringify(upload.body))
    assert.equal(upload.body.format, format)
    assert.equal(upload.body.state, 'ready')
    const none = { rows: 4, new: 3, duplicate: 0, reversals: 0, pending: 0, others: 1, errors: 0 }
    assert.deepEqual(upload.body.counts, none)
    assert.equal(await shop.status('one'), 'new')
    const imported = await confirm(service, upload.body.id)
    assert.equal(imported.state, 'imported')
    assert.equal(await shop.status('one'), 'paid', format)
    const again = await uploadFile(service, render(made), format === 'csv' ? { requisiteId } : {})
    assert.equal(again.status, 200)
    assert.equal(again.body.id, upload.body.id)

    // An overlapping file, with one more of the equal rows.
    const longer: Made = { ...made, rows: [...made.rows, { minor: 12_00n, date, text: 'Неизвестно' }] }
    const second = await uploadFile(service, render(longer), format === 'csv' ? { requisiteId } : {})
    assert.equal(second.status, 201, JSON.stringify(second.body))
    assert.deepEqual([second.body.counts.new, second.body.counts.duplicate], format === '1c' ? [1, 3] : [1, 3])
    const after = await confirm(service, second.body.id)
    assert.deepEqual(
      after.outcomes.reduce((sum: number, each: { transfers: number }) => sum + each.transfers, 0),
      1,
    )
  }
})

test('placeholder for the shape of rows', () => {
  const row: MadeRow = { minor: 1n, date: '2026-01-31' }
  assert.ok(row && day > 0 && assertProblem)
})

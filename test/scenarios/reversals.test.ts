// What a bank takes back again, as an operator and the ledger see it afterwards.
import assert from 'node:assert/strict'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { camtOf, type MadeRow, uploadFile } from '../support/statement-files.ts'

const { onEngines } = shareEngines()
const moscow = 3 * 60 * 60 * 1000
const dateOf = (at: number): string => new Date(at + moscow).toISOString().slice(0, 10)

/** A shop with one requisite, and the bank's way to take money back from it. */
const openPlace = async (service: TestService) => {
  const shop = await openShop(service, { perMethod: 1 })
  const waits = await shop.create('waits', { amount: 99_999 })
  const requisiteId: string = waits.body.card.id
  const operator = openOperator(service)
  const takeBack = async (rows: readonly Omit<MadeRow, 'date' | 'reversal'>[]) => {
    const date = dateOf(service.clock.now)
    const made = rows.map((row) => ({ ...row, minor: -row.minor, date, reversal: true as const }))
    const uploaded = await uploadFile(service, camtOf({ account: 'X', rows: made }), { requisiteId })
    assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
    await operator.call('POST', `/statements/${uploaded.body.id}/confirm`)
    await service.runJobs()
    return uploaded.body.id as string
  }
  const create = async (orderId: string, amount: number) => {
    const { body, status } = await shop.create(orderId, { amount })
    assert.equal(status, 201, JSON.stringify(body))
    return body.payment.id as string
  }
  const partsOf = async (id: string): Promise<[string, number][]> => {
    const { transfers } = (await operator.get('/transfers?limit=500')).body
    const transfer = transfers.find((each: { id: string }) => each.id === id)
    return transfer.parts.map((part: { kind: string; amount: number }) => [part.kind, part.amount])
  }
  return { shop, requisiteId, operator, takeBack, create, partsOf }
}

onEngines('of a transfer that was split, what is credited stays and the rest goes back', async (service) => {
  const { shop, requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  const paymentId = await create('split', 1000)
  const { id } = await payIn(service, { requisiteId, minor: 1700_00n, reference: 'SPLIT' })
  assert.deepEqual(await partsOf(id), [['suspense', 1700]])
  const shares = [{ merchantId: shop.merchantId, paymentId, amount: 1000 }]
  const assigned = await operator.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  assert.equal(await shop.status('split'), 'paid')
  await takeBack([{ minor: 1700_00n, reference: 'SPLIT' }])
  assert.equal(await shop.status('split'), 'paid')
  assert.deepEqual(await partsOf(id), [
    ['payment', 1000],
    ['returned', 700],
  ])
})

onEngines('an overpayment that was taken back is owed no more, and cannot be decided again', async (service) => {
  const { requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  await create('twice', 1000)
  await payIn(service, { requisiteId, minor: 1000_00n, reference: 'ONE' })
  const { id } = await payIn(service, { requisiteId, minor: 1000_00n, reference: 'TWO' })
  assert.deepEqual(await partsOf(id), [['overpayment', 1000]])
  await takeBack([{ minor: 1000_00n, reference: 'TWO' }])
  assert.deepEqual(await partsOf(id), [['returned', 1000]])
  for (const [name, body] of [
    ['undo', { reason: 'x' }],
    ['ignore', { reason: 'x' }],
  ] as const) {
    assertProblem(await operator.call('POST', `/transfers/${requisiteId}/${id}/${name}`, body), 409, 'invalid_state')
  }
})

onEngines(
  'what no transfer or several can have been waits for an operator, who names it or says there is none',
  async (service) => {
    const { requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
    // With two that wait, money of another amount is for neither.
    await create('waits, too', 99_998)
    const [one, two] = [
      await payIn(service, { requisiteId, minor: 33_00n, reference: 'A' }),
      await payIn(service, { requisiteId, minor: 33_00n, reference: 'B' }),
    ]
    const other = await payIn(service, { requisiteId, minor: 34_00n, reference: 'C' })
    const statementId = await takeBack([{ minor: 33_00n, payerAccount: '40817810000000001234' }, { minor: 77_00n }])
    const open = async (): Promise<{ id: string; amount: number; sender?: string; candidates: string[] }[]> =>
      (await operator.get('/reversals?limit=100')).body.reversals.filter(
        (each: { requisiteId: string }) => each.requisiteId === requisiteId,
      )
    const outcomes = async () => (await operator.get(`/statements/${statementId}`)).body.outcomes
    const [unknown, ambiguous] = await open()
    assert.deepEqual([unknown?.amount, unknown?.candidates], [77, []])
    assert.deepEqual([ambiguous?.amount, ambiguous?.candidates.toSorted()], [33, [one.id, two.id].toSorted()])
    assert.equal(ambiguous?.sender, '****************1234')
    assert.deepEqual(await outcomes(), [{ outcome: 'reversal', kind: 'open', transfers: 2 }])
    assert.deepEqual(await partsOf(one.id), [['suspense', 33]])

    const decide = (id: string | undefined, word: string, body: object) =>
      operator.call('POST', `/reversals/${requisiteId}/${id}/${word}`, body)
    assertProblem(await decide(ambiguous?.id, 'assign', { transferId: other.id }), 409, 'invalid_state')
    assertProblem(await decide(ambiguous?.id, 'assign', { transferId: unknownId }), 404, 'resource_not_found')
    assertProblem(await decide(unknownId, 'ignore', { reason: 'x' }), 404, 'resource_not_found')
    const assigned = await decide(ambiguous?.id, 'assign', { transferId: two.id, note: 'the bank said so' })
    assert.deepEqual([assigned.status, assigned.body.transferId], [200, two.id])
    const audit = await operator.lastAudit()
    assert.deepEqual([audit.action, audit.details['transferId']], ['reversal.assign', two.id])
    assert.deepEqual([await partsOf(one.id), await partsOf(two.id)], [[['suspense', 33]], [['returned', 33]]])
    assertProblem(await decide(ambiguous?.id, 'ignore', { reason: 'x' }), 404, 'resource_not_found')
    assert.equal((await decide(unknown?.id, 'ignore', { reason: 'before our time' })).status, 200)
    assert.deepEqual(await open(), [])
    assert.deepEqual(await outcomes(), [
      { outcome: 'reversal', kind: 'ignored', transfers: 1 },
      { outcome: 'reversal', kind: 'returned', transfers: 1 },
    ])
  },
)

// Money out that a bank exports again with other texts: counted once, by the rule for money in, and decided on at once.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import type { TestService } from '../support/service.ts'
import { payIn } from '../support/shop.ts'
import { shareEngines } from '../support/shared-service.ts'
import { csvOf, exchangeOf, type MadeRow } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type Rows = readonly Partial<MadeRow>[]

/** No two accounts have equal rows: what nothing but a choice assigns to a requisite is recorded for one only. */
let units = 15

const openAccount = async (service: TestService) => {
  const unit = ++units
  const bank = await openBank(service)
  const list = async (): Promise<Record<string, unknown>[]> =>
    (await bank.operator.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=500`)).body.outgoing
  return {
    ...bank,
    unit,
    out: (rows: Rows) => rows.map((row) => ({ minor: BigInt(-100 * unit), payer: '', ...row })),
    list,
    doubtful: async () => (await list()).filter((each) => each['duplicateOf'] && each['state'] === 'unexplained'),
    decide: (decision: string, wanted: object) =>
      bank.operator.call('POST', '/outgoing/decide', { decision, reason: 'looked', ...wanted }),
    held: () => bank.balanceOf(`bank:${bank.requisiteId}`),
    close: (balance: number) =>
      bank.operator.call('PUT', `/requisites/${bank.requisiteId}/closing-balances/${bank.date}`, {
        ...{ balance, currency: 'rub' },
      }),
    day: async () => (await bank.operator.get(`/ledger/reconciliation?requisiteId=${bank.requisiteId}`)).body.days[0],
  }
}

// Rows of a day without a number and a time: how many of the second file are new, and how many of these are asked about.
const cases: readonly (readonly [title: string, first: Rows, then: Rows, added: number, asked: number])[] = [
  ['the same row and another one', [{ text: 'Fee 1' }], [{ text: 'Fee 1' }, { minor: -9_98n }], 1, 0],
  ['another text', [{ text: 'Fee 1' }], [{ text: 'Fee, card 1' }], 1, 1],
  ['every text is masked', [{ text: '1' }, { text: '2' }], [{ text: '*' }, { text: '*' }], 2, 2],
  ['one row more than are known', [{ text: '1' }], [{ text: '2' }, { text: '3' }], 2, 1],
  ['the known row and another one', [{ text: '1' }], [{ text: '1' }, { text: '2' }], 1, 0],
  ['one of two again, one changed', [{ text: '1' }, { text: '2' }], [{ text: '1' }, { text: '3' }], 1, 1],
  ['another amount', [{ text: '1' }], [{ text: '1', minor: -9_99n }], 1, 0],
]

onOne('of money out that comes again, what may be known is asked about and the rest is new', async (service) => {
  for (const [title, first, then, added, asked] of cases) {
    const bank = await openAccount(service)
    await bank.bring(csvOf, bank.out(first))
    const { counts } = await bank.bring(csvOf, bank.out(then))
    assert.deepEqual(
      [counts.new, counts.possibleDuplicates, (await bank.doubtful()).length],
      [added, asked, asked],
      title,
    )
  }
})

onEngines('all of a file are the same money by one decision, and the day reconciles', async (service) => {
  const bank = await openAccount(service)
  await bank.bring(csvOf, [...bank.out([{ text: '1' }, { text: '2' }]), { minor: 500_00n }])
  const again = await bank.bring(csvOf, bank.out([{ text: '*' }, { text: '**' }, { text: '***' }]))
  await bank.close(500 - 3 * bank.unit)
  assert.equal((await bank.day()).difference, 2 * bank.unit)
  assert.equal((await bank.day()).possibleDuplicates, -2 * bank.unit)
  assert.equal((await bank.decide('same-money', {})).status, 400)
  const unknown = { requisiteId: bank.requisiteId, id: again.id }
  const many = await bank.decide('same-money', { outgoing: Array.from({ length: 1000 }, () => unknown) })
  assert.equal(many.body.code, 'resource_not_found', 'a thousand names are read')
  const decided = await bank.decide('same-money', { statementId: again.id })
  assert.deepEqual([decided.status, decided.body.outgoing?.length], [200, 2], JSON.stringify(decided.body))
  assert.deepEqual([await bank.held(), (await bank.day()).difference], [500 - 3 * bank.unit, 0])
  assert.equal((await bank.operator.lastAudit()).action, 'outgoing.same-money')
  const { counts } = (await bank.operator.get(`/statements/${again.id}`)).body
  assert.deepEqual([counts.new, counts.duplicates, counts.possibleDuplicates], [1, 2, 0])
  assert.equal((await bank.decide('same-money', { statementId: again.id })).body.outgoing.length, 0)
  // The second texts are known from now on.
  const third = await bank.bring(csvOf, bank.out([{ text: '*' }, { text: '**' }, { text: '***' }, { text: 'new' }]))
  assert.deepEqual([third.counts.new, third.counts.possibleDuplicates], [1, 0])
  assert.equal(await bank.held(), 500 - 4 * bank.unit)
})

onEngines('what was said to be the same money is other money by a second decision', async (service) => {
  const bank = await openAccount(service)
  const first = await bank.bring(csvOf, bank.out([{ text: '1' }]))
  const second = await bank.bring(csvOf, bank.out([{ text: '2' }]))
  const [waiting] = await bank.doubtful()
  const keys = { outgoing: [{ requisiteId: bank.requisiteId, id: waiting?.['id'] }] }
  const withdraw = (id: string) => bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'wrong' })
  assert.match((await withdraw(first.id)).body.detail, /may be, the same money/)
  assert.equal((await bank.decide('same-money', keys)).status, 200)
  assert.equal((await bank.decide('same-money', keys)).status, 200)
  assert.deepEqual(
    [await bank.held(), (await withdraw(first.id)).status, (await withdraw(second.id)).status],
    [-bank.unit, 409, 409],
  )
  const book = () =>
    bank.operator.call('POST', `/outgoing/${bank.requisiteId}/${String(waiting?.['id'])}/book`, {
      ...{ purpose: 'fee', reason: 'monthly' },
    })
  assert.equal((await book()).body.code, 'invalid_state')
  assert.equal((await bank.decide('other-money', keys)).status, 200)
  assert.deepEqual([await bank.held(), await bank.doubtful()], [-2 * bank.unit, []])
  assert.equal((await book()).status, 200)
  assert.equal((await bank.decide('same-money', keys)).body.code, 'invalid_state')
})

onOne('a third text is the money of the first one, in whatever order people decide', async (service) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const bank = await openAccount(service)
    const files: string[] = []
    for (const text of ['1', '2', '3']) files.push((await bank.bring(csvOf, bank.out([{ text }]))).id)
    assert.equal((await bank.doubtful()).length, 2)
    for (const index of order) await bank.decide('same-money', { statementId: files[index + 1] })
    assert.equal(await bank.held(), -bank.unit)
    await bank.bring(exchangeOf, bank.out([{ text: 'from another channel' }]))
    assert.equal(await bank.held(), -bank.unit)
  }
})

onOne('two texts of which another channel lists both are not the same money', async (service) => {
  const bank = await openAccount(service)
  await bank.bring(csvOf, bank.out([{ text: '1' }]))
  const second = await bank.bring(csvOf, bank.out([{ text: '2' }]))
  await bank.bring(exchangeOf, bank.out([{ text: 'a' }, { text: 'b' }]))
  assert.equal(await bank.held(), -2 * bank.unit)
  const same = await bank.decide('same-money', { statementId: second.id })
  assert.match(same.body.detail, /reports both/)
  assert.equal((await bank.decide('other-money', { statementId: second.id })).status, 200)
  assert.deepEqual([await bank.held(), await bank.doubtful()], [-2 * bank.unit, []])
})

onOne('money that may have been explained already is not proposed as something else', async (service) => {
  const bank = await openAccount(service)
  const reference = `T-${bank.unit}`
  await payIn(service, { requisiteId: bank.requisiteId, minor: BigInt(100 * bank.unit), reference })
  await bank.bring(csvOf, bank.out([{ text: `return of ${reference}` }]))
  await bank.bring(csvOf, bank.out([{ text: `${reference} is returned` }]))
  const proposals = (await bank.list()).map((each) => [
    each['duplicateOf'] === undefined,
    (each['proposals'] as unknown[]).length,
  ])
  assert.deepEqual(proposals, [
    [false, 0],
    [true, 1],
  ])
})

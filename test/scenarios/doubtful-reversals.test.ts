// Reversals that several channels report, or that may mean one of two transfers: no stranger's money is taken.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { day } from '../../src/rules/time.ts'
import { recordReversals } from '../../src/engine/transfers/reversals/reversals.ts'
import { ignoreTransfer } from '../../src/engine/transfers/decisions/decide-transfer.ts'
import { openOperator } from '../support/operator.ts'
import { openApprovedFeed } from '../support/push.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { camtOf, type MadeRow, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()
const moscow = 3 * 60 * 60 * 1000
const payer = '40817810000000001111'
const minor = 500_00n
let accounts = 0

/** A requisite with two feeds and files of its bank, and what an operator sees of reversals. */
const openBank = async (service: TestService) => {
  const shop = await openShop(service, { perMethod: 1 })
  const operator = openOperator(service)
  const requisiteId: string = (await shop.create('waits', { amount: 99_999 })).body.card.id
  await shop.create('waits, too', { amount: 99_998 })
  const account = `407028106000000000${String(++accounts).padStart(2, '0')}`
  await operator.call('PUT', '/statement-accounts', { accounts: [{ number: account, requisiteIds: [requisiteId] }] })
  const bookedAt = service.clock.now
  const date = new Date(bookedAt + moscow).toISOString().slice(0, 10)
  const feeds = [
    await openApprovedFeed(service, `one ${requisiteId}`, [requisiteId]),
    await openApprovedFeed(service, `two ${requisiteId}`, [requisiteId]),
  ] as const
  const push = async (bankReference: string, fields: object = {}, feed = feeds[0]) => {
    const reversal = {
      amount: 500,
      currency: 'rub',
      bookedAt: new Date(bookedAt).toISOString(),
      bankReference,
      ...fields,
    }
    const { status, body } = await feed([reversal])
    assert.equal(status, 200, JSON.stringify(body))
    return { requisiteId, id: body.transfers[0].id as string }
  }
  const bring = async (
    message: '053' | '054',
    row: Partial<MadeRow>,
    confirmedBy = operator,
    others: readonly Partial<MadeRow>[] = [],
  ) => {
    const made = camtOf({ account, rows: [row, ...others].map((each) => ({ minor, date, ...each })) }).replace(
      'camt.053',
      `camt.${message}`,
    )
    const { status, body } = await uploadFile(service, made)
    assert.equal(status, 201, JSON.stringify(body))
    await confirmedBy.call('POST', `/statements/${body.id}/confirm`)
    await service.runJobs()
    assert.equal((await operator.get(`/statements/${body.id}`)).body.state, 'imported')
  }
  const kindOf = async ({ id }: { id: string }): Promise<string> =>
    (await operator.get(`/transfers/${requisiteId}/${id}`)).body.kind
  const open = async (): Promise<number> =>
    (await operator.get('/reversals?limit=100')).body.reversals.filter(
      (each: { requisiteId: string }) => each.requisiteId === requisiteId,
    ).length
  const doubtful = async (): Promise<{ requisiteId: string; id: string }> =>
    (await operator.get('/transfers?unmatched=true&limit=500')).body.transfers.find(
      (each: { requisiteId: string; duplicateOf?: string }) => each.requisiteId === requisiteId && each.duplicateOf,
    )
  /** A reversal as a channel reports it. */
  const reversal = (name: string, bankReference: string | null) => ({
    ...{ requisiteId, currency: 'rub', amount: minor, bookedAt: service.clock.now, bankReference, sender: null },
    ...{ source: name, channel: name, dedupeKey: `reversal:${name}` },
  })
  return { shop, operator, requisiteId, feeds, push, bring, kindOf, open, doubtful, reversal }
}

/** Runs what waits for the locks of another transaction, which ends only then. */
const behind = async <T>(
  service: TestService,
  first: Parameters<typeof service.context.transaction<unknown>>[0],
  second: Parameters<typeof service.context.transaction<T>>[0],
): Promise<T> => {
  const done = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const running = service.context.transaction(async (tx) => {
    await first(tx)
    done.resolve()
    await commit.promise
  })
  await done.promise
  const waiting = service.context.transaction(second)
  await sleep(300)
  commit.resolve()
  await running
  return waiting
}

onOne('a reversal that a second channel reports too takes no other money', async (service) => {
  const reports: readonly ((bank: Awaited<ReturnType<typeof openBank>>) => Promise<unknown>)[] = [
    (bank) => bank.bring('053', { minor: -minor, reversal: true }),
    (bank) => bank.push('BANKREF-OTHER', { status: 'reversed' }, bank.feeds[1]),
  ]
  for (const reportAgain of reports) {
    const bank = await openBank(service)
    const [one, stranger] = [await bank.push('BANKREF-P1'), await bank.push('BANKREF-P2')]
    await (reportAgain === reports[0]
      ? bank.bring('054', { minor: -minor, reversal: true, reference: 'BANKREF-P1' })
      : bank.push('BANKREF-P1', { status: 'reversed' }))
    assert.deepEqual([await bank.kindOf(one), await bank.kindOf(stranger)], ['reversed', 'suspense'])
    await reportAgain(bank)
    assert.deepEqual([await bank.kindOf(stranger), await bank.open()], ['suspense', 1])
  }
})

onOne(
  'a reversal that a feed reports before its transfer takes no other one, and its own when that has come',
  async (service) => {
    const bank = await openBank(service)
    const stranger = await bank.push('BANKREF-P1')
    await bank.shop.create('early', { amount: 500 })
    await bank.push('BANKREF-P9', { status: 'reversed' })
    assert.deepEqual([await bank.kindOf(stranger), await bank.open()], ['suspense', 1])
    const own = await bank.push('BANKREF-P9')
    assert.equal(await bank.kindOf(own), 'payment')
    await service.runJobs()
    const { reversedAt } = (await bank.operator.get(`/transfers/${own.requisiteId}/${own.id}`)).body
    assert.ok(reversedAt !== undefined, 'the credit was taken back')
    assert.deepEqual([await bank.kindOf(stranger), await bank.open()], ['suspense', 0])
    assert.equal((await bank.shop.get('/balance')).body.available, 0)
    // Reported again, it is the same one.
    await bank.push('BANKREF-P9', { status: 'reversed' })
    await service.runJobs()
    assert.deepEqual([await bank.kindOf(stranger), await bank.open()], ['suspense', 0])
  },
)

onOne('money out next to a reversal of its amount in one file is not that reversal', async (service) => {
  for (const isKnown of [true, false]) {
    const bank = await openBank(service)
    await bank.push('BANKREF-P1', { sender: payer })
    await (isKnown
      ? bank.push('BANKREF-P1', { status: 'reversed', sender: payer })
      : bank.bring('054', { minor: -minor, reversal: true, reference: 'BANKREF-P1' }))
    const cash = { minor: -minor, text: 'cash', reference: 'CASHCASH0001' }
    await bank.bring(
      '053',
      { minor: -minor, reversal: true, reference: 'BANKREF-P1' },
      openOperator(service, 'boris'),
      [cash],
    )
    const { outgoing } = (await bank.operator.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=10`)).body
    assert.deepEqual(
      outgoing.map(({ state }: { state: string }) => state),
      ['unexplained'],
    )
  }
})

onOne('a reversal with another reference of the same kind is another one', async (service) => {
  const bank = await openBank(service)
  const [one, other] = [await bank.push('BANKREF-P1'), await bank.push('BANKREF-P2')]
  await bank.bring('054', { minor: -minor, reversal: true, reference: 'BANKREF-P1' })
  await bank.bring('053', { minor: -minor, reversal: true, reference: 'BANKREF-P3' })
  assert.deepEqual([await bank.kindOf(one), await bank.kindOf(other), await bank.open()], ['reversed', 'reversed', 0])
})

onOne('of a credited transfer and its possible duplicate, a reversal takes neither automatically', async (service) => {
  for (const sender of [payer, '40817810000000002222']) {
    const bank = await openBank(service)
    await bank.shop.create('credited', { amount: 500 })
    const original = await bank.push('BANKREF-P1')
    await bank.push('BANKREF-Q1', { sender: payer }, bank.feeds[1])
    const twin = await bank.doubtful()
    await bank.bring('053', { minor: -minor, reversal: true, payerAccount: sender })
    assert.deepEqual([await bank.kindOf(original), await bank.kindOf(twin)], ['payment', 'suspense'])
    assert.equal(await bank.open(), 1)
  }
})

onOne(
  'of a credited transfer and its certain duplicate, a reversal takes the money of their sender',
  async (service) => {
    for (const [payerAccount, kind, open] of [
      ['40817810000000002222', 'payment', 1],
      [payer, 'payment', 0],
    ] as const) {
      const bank = await openBank(service)
      await bank.shop.create('credited', { amount: 500 })
      const original = await bank.push('BANKREF-P1')
      // Two people stand for the file: what one person says of the sender is not the bank's word.
      await bank.bring('053', { payerAccount: payer }, openOperator(service, 'boris'))
      await bank.bring('053', { minor: -minor, reversal: true, payerAccount })
      assert.deepEqual([await bank.kindOf(original), await bank.open()], [kind, open], payerAccount)
      const { reversedAt } = (await bank.operator.get(`/transfers/${original.requisiteId}/${original.id}`)).body
      assert.equal(reversedAt !== undefined, open === 0)
    }
  },
)

onEngines('a reversal that a feed reports before its transfer takes what a file had of it', async (service) => {
  const bank = await openBank(service)
  await bank.push('BANKREF-P1', { status: 'reversed' })
  await bank.bring('053', {})
  assert.equal(await bank.open(), 1)
  const own = await bank.push('BANKREF-P1')
  await service.runJobs()
  // One person alone had confirmed the file: its transfer has given way to the one of the feed.
  assert.deepEqual([await bank.kindOf(own), await bank.open()], ['reversed', 0])
})

onOne('a reversal of what was taken back days ago takes nothing else', async (service) => {
  const bank = await openBank(service)
  const stranger = await bank.push('BANKREF-P2')
  await bank.push('BANKREF-P1')
  await bank.push('BANKREF-P1', { status: 'reversed' })
  service.clock.advance(3 * day)
  const [again] = await service.context.transaction((tx) => recordReversals(tx, [bank.reversal('later', 'BANKREF-P1')]))
  assert.equal(again?.transferId, null)
  assert.equal(await bank.kindOf(stranger), 'suspense')
})

onPostgres('of two reversals of one transfer at once the second one waits for an operator', async (service) => {
  for (const reference of ['BANKREF-P1', null]) {
    const bank = await openBank(service)
    const one = await bank.push('BANKREF-P1')
    const [second] = await behind(
      service,
      (tx) => recordReversals(tx, [bank.reversal('one', 'BANKREF-P1')]),
      (tx) => recordReversals(tx, [bank.reversal('two', reference)]),
    )
    assert.deepEqual([second?.transferId, second?.alreadyKnown], [null, false])
    assert.deepEqual([await bank.kindOf(one), await bank.open()], ['reversed', 1])
  }
})

onPostgres('a transfer that was just said to be a duplicate is reversed as its original', async (service) => {
  const bank = await openBank(service)
  await bank.push('BANKREF-Q1', {}, bank.feeds[1])
  const repeat = await bank.push('BANKREF-P1')
  const original: string = (await bank.operator.get(`/transfers/${repeat.requisiteId}/${repeat.id}`)).body.duplicateOf
  const [reversed] = await behind(
    service,
    (tx) => ignoreTransfer(tx, repeat, { actor: 'operator:anna', note: 'the same' }),
    (tx) => recordReversals(tx, [bank.reversal('one', 'BANKREF-P1')]),
  )
  assert.equal(reversed?.transferId, original)
  assert.deepEqual([await bank.kindOf(repeat), await bank.kindOf({ id: original })], ['duplicate', 'reversed'])
})

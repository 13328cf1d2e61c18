// Bookings with a reference, which one file reports as a sum and another one in parts, are booked once.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type Bank = Awaited<ReturnType<typeof openBank>>
type Form = 'sum' | 'parts'
const orders: readonly (readonly [Form, Form])[] = [
  ['sum', 'parts'],
  ['parts', 'sum'],
]

type Booked = {
  readonly reference?: string
  readonly direction?: 'CRDT' | 'DBIT'
  readonly message?: string
  readonly date?: string
  /** How many payments a sum says it is of. */
  readonly count?: number
}

/** A camt file of one booking, as a sum or in parts. */
const fileOf = (
  { account, date: today }: Bank,
  form: Form,
  amounts: readonly number[],
  {
    reference = 'BOOKING-1',
    direction = 'CRDT',
    message = form === 'sum' ? 'camt.053' : 'camt.054',
    date = today,
    count,
  }: Booked = {},
): string => {
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const parts = amounts.map(
    (amount, index) =>
      `<TxDtls><Refs><AcctSvcrRef>${reference}P${index}</AcctSvcrRef></Refs><Amt Ccy="RUB">${amount}.00</Amt></TxDtls>`,
  )
  const batch = count === undefined ? '' : `<Btch><NbOfTxs>${count}</NbOfTxs></Btch>`
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}.001.08"><Bk><Stmt>
<Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct><Ntry><Amt Ccy="RUB">${sum}.00</Amt><CdtDbtInd>${direction}</CdtDbtInd>
<Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>
<NtryDtls>${batch}${form === 'parts' ? parts.join('') : ''}</NtryDtls></Ntry></Stmt></Bk></Document>`
}

type Counts = Readonly<Record<'new' | 'alreadyKnown' | 'duplicates' | 'possibleDuplicates' | 'replaced', number>>

const countsOf = ({ counts }: { readonly counts: Counts }): number[] => [
  ...[counts.new, counts.alreadyKnown, counts.duplicates, counts.possibleDuplicates, counts.replaced],
]

const send = async (service: TestService, file: string) => {
  const { status, body } = await uploadFile(service, file)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** Uploads and confirms a file; its preview and its import have counted the same. */
const bring = async (service: TestService, bank: Bank, file: string): Promise<number[]> => {
  const preview = await send(service, file)
  const imported = await bank.confirm(preview.id)
  assert.equal(imported.state, 'imported')
  assert.deepEqual(countsOf(preview), countsOf(imported))
  return countsOf(imported)
}

const held = (bank: Bank): Promise<number> => bank.balanceOf(`bank:${bank.requisiteId}`)
const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)

onEngines('a booking that one file reports as a sum and another one in parts is booked once', async (service) => {
  for (const [first, second] of orders) {
    const bank = await openBank(service)
    const expected = first === 'sum' ? [2, 0, 0, 0, 1] : [0, 0, 1, 0, 0]
    // It is read before the other form comes, and once more after it.
    const early = await send(service, fileOf(bank, second, [3, 4]))
    await bring(service, bank, fileOf(bank, first, [3, 4]))
    assert.deepEqual(countsOf(await bank.confirm(early.id)), expected)
    for (const form of ['sum', 'parts'] as const) {
      const again = fileOf(bank, form, [3, 4]).replace('<Bk>', '<Bk >')
      assert.deepEqual(await bring(service, bank, again), [0, form === 'sum' ? 1 : 2, 0, 0, 0])
    }
    assert.equal(await held(bank), 7)
  }
  await assertHealthy(service)
})

onOne('a booking of one payment, which may have a reference of its own, is booked once', async (service) => {
  for (const [first, second] of orders) {
    for (const message of [undefined, 'camt.053']) {
      const bank = await openBank(service)
      const named = message === undefined ? {} : { message }
      await bring(service, bank, fileOf(bank, first, [7], named))
      assert.deepEqual(await bring(service, bank, fileOf(bank, second, [7], named)), [0, 0, 1, 0, 0])
      assert.equal(await held(bank), 7)
    }
  }
})

onOne('with the reference, the sum may be of another day, and say of how many payments it is', async (service) => {
  for (const [first, second] of orders) {
    const bank = await openBank(service)
    const more = (form: Form): Booked => (form === 'sum' ? { date: daysBefore(bank.date, 2), count: 2 } : {})
    await bring(service, bank, fileOf(bank, first, [3, 4], more(first)))
    await bring(service, bank, fileOf(bank, second, [3, 4], more(second)))
    assert.equal(await held(bank), 7)
    assert.equal((await bank.inbox()).filter((each) => each.duplicateOf !== undefined).length, 0)
  }
})

onOne('a payment that a feed has pushed is not counted again when the payments replace their sum', async (service) => {
  const bank = await openBank(service)
  await bank.push('BOOKING-1P0', { amount: 3 })
  await bring(service, bank, fileOf(bank, 'sum', [3, 4]))
  assert.equal(await held(bank), 10)
  assert.deepEqual(await bring(service, bank, fileOf(bank, 'parts', [3, 4])), [1, 1, 0, 0, 1])
  assert.equal(await held(bank), 7)
})

onOne('another amount, number or form of payments under the reference waits', async (service) => {
  const cases: readonly (readonly [Form, readonly number[], Form, readonly number[], Booked])[] = [
    ['sum', [3, 4], 'parts', [4, 5], {}],
    ['parts', [3, 4], 'sum', [4, 5], {}],
    ['parts', [3, 4], 'sum', [3, 4], { count: 3 }],
    ['parts', [3, 4], 'parts', [2, 2, 3], { message: 'camt.052' }],
  ]
  for (const [first, known, second, wrong, more] of cases) {
    const bank = await openBank(service)
    await bring(service, bank, fileOf(bank, first, known))
    const rows = second === 'sum' ? 1 : wrong.length
    assert.deepEqual(await bring(service, bank, fileOf(bank, second, wrong, more)), [rows, 0, 0, rows, 0])
    const waiting = (await bank.inbox()).filter((each) => each.duplicateOf !== undefined)
    assert.match(waiting[0]?.reasons[0] ?? '', /is the same booking with another amount or other payments$/)
    // A person may say that it is the same all the same.
    for (const { id } of waiting) assert.equal((await bank.decide(id, 'ignore', { reason: 'the same' })).status, 200)
    assert.equal(await held(bank), 7)
  }
  // A sum that was replaced contradicts later parts, too.
  const bank = await openBank(service)
  await bring(service, bank, fileOf(bank, 'sum', [3, 4]))
  await bring(service, bank, fileOf(bank, 'parts', [3, 4]))
  assert.deepEqual(await bring(service, bank, fileOf(bank, 'parts', [5, 6], { message: 'camt.052' })), [2, 0, 0, 2, 0])
  await assertHealthy(service)
})

onOne('two references of a bank are two bookings, or wait if all else is equal', async (service) => {
  for (const [first, second] of orders) {
    const bank = await openBank(service)
    await bring(service, bank, fileOf(bank, first, [3, 4], { count: 2 }))
    const rows = second === 'sum' ? 1 : 2
    const other = { reference: 'BOOKING-2', count: 2 }
    assert.deepEqual(await bring(service, bank, fileOf(bank, second, [3, 4], other)), [rows, 0, 0, rows, 0])
    const third = { ...other, reference: 'BOOKING-3' }
    assert.equal((await bring(service, bank, fileOf(bank, second, [4, 5], third)))[3], 0)
  }
})

onOne('payments wait if their sum was credited, and say so', async (service) => {
  const bank = await openBank(service)
  assert.equal((await bank.shop.create('order', { amount: 900 })).body.card.id, bank.requisiteId)
  await bring(service, bank, fileOf(bank, 'sum', [350, 550]))
  assert.equal(await bank.shop.status('order'), 'paid')
  assert.deepEqual(await bring(service, bank, fileOf(bank, 'parts', [350, 550])), [2, 0, 0, 2, 0])
  const waiting = (await bank.inbox()).filter((each) => each.duplicateOf !== undefined)
  assert.equal(waiting.length, 2)
  for (const { reasons } of waiting)
    assert.match(
      reasons[0] ?? '',
      /as the sum of several payments, and was credited or decided about before they came$/,
    )
  await assertHealthy(service)
})

onOne('a third file with the sum brings no further money', async (service) => {
  for (const direction of ['CRDT', 'DBIT'] as const) {
    for (const [first, second] of orders) {
      const bank = await openBank(service)
      await bring(service, bank, fileOf(bank, first, [3, 4], { direction }))
      await bring(service, bank, fileOf(bank, second, [3, 4], { direction }))
      const sign = direction === 'CRDT' ? 1n : -1n
      const sum = { minor: sign * 700n, payer: 'Batch of the day', payerAccount: '' }
      const { counts } = await bank.bring(mt940Of, [sum])
      assert.deepEqual([counts.new + counts.possibleDuplicates, await held(bank)], [0, Number(sign) * 7])
      // Another one is other money.
      const more = await bank.bring(mt940Of, [sum, { ...sum, text: 'another one' }])
      assert.deepEqual([more.counts.new, await held(bank)], [1, Number(sign) * 14])
    }
  }
  await assertHealthy(service)
})

onEngines('a debit of many payments, reported as a sum and in parts, leaves the account once', async (service) => {
  for (const [first, second] of orders) {
    for (const amounts of [[3, 4], [3, 3], [7]]) {
      const bank = await openBank(service)
      const debit = (form: Form): string => fileOf(bank, form, amounts, { direction: 'DBIT' })
      const sum = amounts.reduce((total, amount) => total + amount, 0)
      const early = await send(service, debit(second))
      await bring(service, bank, debit(first))
      assert.equal(await held(bank), -sum)
      await bank.confirm(early.id)
      assert.equal(await held(bank), -sum)
      // A credit under the same reference is another booking.
      await bring(service, bank, fileOf(bank, second, amounts))
      assert.equal(await held(bank), 0)
    }
  }
  await assertHealthy(service)
})

onOne('payments out wait if their sum was booked to a purpose', async (service) => {
  const bank = await openBank(service)
  await bring(service, bank, fileOf(bank, 'sum', [3, 4], { direction: 'DBIT' }))
  const list = async () =>
    (await bank.operator.get(`/outgoing?requisiteId=${bank.requisiteId}`)).body.outgoing as {
      readonly id: string
      readonly state: string
      readonly duplicateOf?: string
    }[]
  const [sum] = await list()
  const address = `/outgoing/${bank.requisiteId}/${sum?.id}/book`
  assert.equal((await bank.operator.call('POST', address, { purpose: 'other', reason: 'x' })).status, 200)
  const parts = fileOf(bank, 'parts', [3, 4], { direction: 'DBIT' })
  assert.deepEqual(await bring(service, bank, parts), [2, 0, 0, 2, 0])
  const waiting = (await list()).filter(({ duplicateOf }) => duplicateOf === sum?.id)
  assert.deepEqual(
    waiting.map(({ state }) => state),
    ['unexplained', 'unexplained'],
  )
})

onEngines('what a statement replaced comes back when it is undone', async (service) => {
  for (const direction of ['CRDT', 'DBIT'] as const) {
    const bank = await openBank(service)
    const files = (['sum', 'parts'] as const).map((form) => fileOf(bank, form, [3, 4], { direction }))
    const [sum = '', parts = ''] = await Promise.all(files.map(async (file) => (await send(service, file)).id))
    await bank.confirm(sum)
    await bank.confirm(parts)
    const undo = (id: string) => bank.operator.call('POST', `/statements/${id}/withdraw`, { reason: 'x' })
    const refused = await undo(parts)
    assertProblem(refused, 409, 'invalid_state')
    assert.match(refused.body.detail, /is, or may be, the same money as \S+ ?\S*: first decide that it is other money/)
    for (const id of [sum, parts]) {
      assert.equal((await undo(id)).status, 200)
      await service.runJobs()
      assert.equal((await bank.operator.get(`/statements/${id}`)).body.state, 'withdrawn')
    }
    assert.equal(await held(bank), 0)
    for (const file of files.toReversed()) await bring(service, bank, file)
    assert.equal(Math.abs(await held(bank)), 7)
  }
  await assertHealthy(service)
})

onEngines('a booking that is confirmed in two forms at once is booked once', async (service) => {
  for (const direction of ['CRDT', 'DBIT'] as const) {
    const bank = await openBank(service)
    const forms = ['sum', 'parts'] as const
    const ids: string[] = []
    for (const form of forms) ids.push((await send(service, fileOf(bank, form, [3, 4], { direction }))).id)
    for (const id of ids) assert.equal((await bank.operator.call('POST', `/statements/${id}/confirm`)).status, 200)
    await Promise.all([service.runJobs(), service.runJobs()])
    await service.runJobs()
    assert.equal(Math.abs(await held(bank)), 7)
  }
  await assertHealthy(service)
})

onEngines('another form of a booking waits while the statement of the first is undone', async (service) => {
  const bank = await openBank(service)
  const [parts, sum] = [
    (await send(service, fileOf(bank, 'parts', [3, 4]))).id,
    (await send(service, fileOf(bank, 'sum', [3, 4]))).id,
  ]
  await bank.confirm(parts)
  assert.equal((await bank.operator.call('POST', `/statements/${parts}/withdraw`, { reason: 'x' })).status, 200)
  const imported = await bank.confirm(sum)
  assert.deepEqual([imported.state, countsOf(imported)], ['imported', [1, 0, 0, 0, 0]])
  assert.equal(await held(bank), 7)
})

onOne('a booking of more payments than are recorded at a time replaces its sum, and no other one', async (service) => {
  const bank = await openBank(service)
  const amounts = Array.from({ length: 1500 }, () => 1)
  const sum = (reference: string) => fileOf(bank, 'sum', amounts, { reference, count: 1500 })
  await bring(service, bank, sum('BOOKING-1'))
  await bring(service, bank, sum('BOOKING-2'))
  assert.deepEqual(await bring(service, bank, fileOf(bank, 'parts', amounts)), [1500, 0, 0, 0, 1])
  assert.equal(await held(bank), 3000)
  // Without a common reference, too.
  const other = await openBank(service)
  const entry = (form: Form) =>
    fileOf(other, form, amounts, { count: 1500 }).replace(/<AcctSvcrRef>BOOKING-1<\/AcctSvcrRef>/, '')
  const twice = entry('sum').replace(/(<Ntry>.*<\/Ntry>)/s, '$1$1')
  assert.deepEqual(await bring(service, other, twice), [2, 0, 0, 0, 0])
  assert.deepEqual(await bring(service, other, entry('parts')), [1500, 0, 0, 0, 1])
  assert.equal(await held(other), 3000)
})

// A bank's booking of several payments, which one file reports as a sum and another one as the payments.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { csvOf, mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type Bank = Awaited<ReturnType<typeof openBank>>

const roots = { '052': ['BkToCstmrAcctRpt', 'Rpt'], '053': ['BkToCstmrStmt', 'Stmt'] } as const

/** A booking: its payments in roubles, each with a name, or only their sum and, if the bank says it, their number. */
type Booked = { readonly parts?: readonly number[]; readonly sum?: number; readonly count?: number }

const entryOf = (
  { parts = [], sum = parts.reduce((all, each) => all + each, 0), count }: Booked,
  date: string,
): string => {
  const details = parts
    .map(
      (each, index) =>
        `<TxDtls><Amt Ccy="RUB">${each}.00</Amt><RltdPties><Dbtr><Nm>Payer ${index + 1}</Nm></Dbtr></RltdPties></TxDtls>`,
    )
    .join('')
  const batch = count === undefined ? '' : `<Btch><NbOfTxs>${count}</NbOfTxs></Btch>`
  return `<Ntry><Amt Ccy="RUB">${sum}.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt><NtryDtls>${batch}${details}</NtryDtls></Ntry>`
}

const camt = ({ account, date }: Bank, kind: keyof typeof roots, bookings: readonly Booked[]): string => {
  const [root, statement] = roots[kind]
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.02"><${root}><${statement}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${bookings.map((each) => entryOf(each, date)).join('')}</${statement}></${root}></Document>`
}

/** Uploads and confirms a file; what its preview and its import have counted. */
const bring = async (service: TestService, bank: Bank, file: string): Promise<(readonly number[])[]> => {
  const { status, body } = await uploadFile(service, file)
  assert.equal(status, 201, JSON.stringify(body))
  const imported = await bank.confirm(body.id)
  return [body.counts, imported.counts].map(
    ({ new: added, alreadyKnown, duplicates, possibleDuplicates, replaced }) => [
      ...[added, alreadyKnown, duplicates, possibleDuplicates, replaced],
    ],
  )
}

const held = (bank: Bank): Promise<number> => bank.balanceOf(`bank:${bank.requisiteId}`)
const twice = (counts: readonly number[]): (readonly number[])[] => [counts, counts]
const before = (date: string): string => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)

onEngines('payments replace their sum, about which nothing was decided', async (service) => {
  const bank = await openBank(service)
  const sum = { sum: 900, count: 2 }
  assert.deepEqual(await bring(service, bank, camt(bank, '052', [sum])), twice([1, 0, 0, 0, 0]))
  assert.deepEqual(await bring(service, bank, camt(bank, '053', [{ parts: [350, 550] }])), twice([2, 0, 0, 0, 1]))
  assert.equal(await held(bank), 900)
  // Either file again, with more in it.
  assert.deepEqual(await bring(service, bank, camt(bank, '052', [sum, { sum: 70 }])), twice([1, 1, 0, 0, 0]))
  assert.deepEqual(
    await bring(service, bank, camt(bank, '053', [{ parts: [350, 550] }, { sum: 70 }])),
    twice([0, 3, 0, 0, 0]),
  )
  assert.equal(await held(bank), 970)
  await assertHealthy(service)
})

onEngines('a sum after its payments is the same money', async (service) => {
  const bank = await openBank(service)
  await bring(
    service,
    bank,
    camt(bank, '053', [{ parts: [350, 550] }, { parts: [200, 700] }, { parts: [300, 300, 300] }]),
  )
  const [preview] = await bring(
    service,
    bank,
    camt(bank, '052', [
      { sum: 900, count: 2 },
      { sum: 900, count: 2 },
    ]),
  )
  assert.deepEqual(preview, [0, 0, 2, 0, 0])
  assert.equal(await held(bank), 2700)
  // A third one of two payments is other money.
  const more = [
    { sum: 900, count: 2 },
    { sum: 900, count: 2 },
    { sum: 900, count: 2 },
    { sum: 900, count: 4 },
  ]
  assert.deepEqual((await bring(service, bank, camt(bank, '052', more)))[0], [2, 2, 0, 0, 0])
  assert.equal(await held(bank), 4500)
  await assertHealthy(service)
})

onEngines(
  'payments wait if their sum was credited, until somebody says whether they are the same money',
  async (service) => {
    const bank = await openBank(service)
    const { body } = await bank.shop.create('order-900', { amount: 900 })
    assert.equal(body.card.id, bank.requisiteId)
    await bring(service, bank, camt(bank, '052', [{ sum: 900, count: 2 }]))
    assert.equal(await bank.shop.status('order-900'), 'paid')
    assert.deepEqual(await bring(service, bank, camt(bank, '053', [{ parts: [350, 550] }])), twice([2, 0, 0, 2, 0]))
    const waiting = (await bank.inbox()).filter((each) => each.duplicateOf !== undefined)
    assert.match(waiting[0]?.reasons[0] ?? '', /has this money as the sum of several payments/)
    for (const { id } of waiting) assert.equal((await bank.decide(id, 'ignore', { reason: 'the same' })).status, 200)
    assert.equal(await held(bank), 900)
    await assertHealthy(service)
  },
)

onOne('a sum of nobody knows how many payments waits, or lets them wait', async (service) => {
  const sum = [{ minor: 900_00n, payer: '' }]
  const first = await openBank(service)
  await first.bring(mt940Of, sum)
  assert.deepEqual(await bring(service, first, camt(first, '053', [{ parts: [350, 550] }])), twice([2, 0, 0, 2, 0]))
  const last = await openBank(service)
  await bring(service, last, camt(last, '053', [{ parts: [350, 550] }]))
  assert.equal((await last.bring(mt940Of, sum)).counts.possibleDuplicates, 1)
})

onOne('payments are other money than a sum of another day, number or payer', async (service) => {
  const bank = await openBank(service)
  await bring(service, bank, camt(bank, '052', [{ sum: 900, count: 3 }]))
  await bank.bring(mt940Of, [
    { minor: 900_00n, payer: 'Anna Berg' },
    { minor: 900_00n, date: before(bank.date) },
    { minor: 5_00n, payer: 'Bert Cohn' },
  ])
  assert.deepEqual(await bring(service, bank, camt(bank, '053', [{ parts: [350, 550] }])), twice([2, 0, 0, 0, 0]))
})

type Brought = (bank: Bank) => Promise<(readonly number[])[]>

onOne('a sum and its payments wait where no file says that they belong together', async (service) => {
  const asCamt =
    (...bookings: Booked[]): Brought =>
    (bank) =>
      bring(service, bank, camt(bank, '053', bookings))
  const asRows =
    (render: typeof csvOf, ...roubles: number[]): Brought =>
    async (bank) => {
      const rows = roubles.map((each, index) => ({
        minor: BigInt(each) * 100n,
        payer: `${'ABCD'[index]} Payer of ${bank.account}`,
      }))
      const preview = await bank.upload(render, rows)
      const { counts } = await bank.confirm(preview.id)
      return [preview.counts, counts].map((each) => [
        each.new,
        each.alreadyKnown,
        each.duplicates,
        each.possibleDuplicates,
      ])
    }
  const sum = { sum: 900, count: 2 }
  const mt940 = (...roubles: number[]): Brought => asRows((made) => mt940Of(made), ...roubles)
  const csv = (...roubles: number[]): Brought => asRows(csvOf, ...roubles)
  const cases: readonly (readonly [first: Brought, then: Brought, waiting: number])[] = [
    [asCamt(sum), mt940(350, 550), 2],
    [csv(350, 550), asCamt(sum), 1],
    [mt940(900), asCamt({ parts: [350, 550] }), 2],
    [asCamt({ parts: [350, 550] }), csv(900), 1],
    // What both have is the same; the rest is the sum.
    [csv(70, 350, 550), asCamt({ sum: 70 }, sum), 1],
    // Other totals, or as many rows: other money.
    [asCamt(sum), mt940(350, 551), 0],
    [csv(350, 550), mt940(400, 500), 0],
  ]
  for (const [index, [first, then, waiting]] of cases.entries()) {
    const bank = await openBank(service)
    await first(bank)
    for (const counts of await then(bank)) assert.equal(counts[3], waiting, `case ${index}`)
    const asked = (await bank.inbox()).filter((each) => each.duplicateOf !== undefined)
    assert.equal(asked.length, waiting, `case ${index}`)
  }
})

onOne('a sum waits, too, if its payments were imported after its preview', async (service) => {
  const bank = await openBank(service)
  for (const amount of [350, 550, 900]) await bank.shop.create(`order-${amount}`, { amount })
  const parts = await bank.upload(csvOf, [
    { minor: 350_00n, payer: 'Anna Four' },
    { minor: 550_00n, payer: 'Bert Four' },
  ])
  const sum = await bank.upload(mt940Of, [{ minor: 900_00n, payer: 'Collective Ltd' }], { closedOn: bank.date })
  await bank.confirm(parts.id)
  assert.equal((await bank.confirm(sum.id)).counts.possibleDuplicates, 1)
  assert.equal(await bank.shop.status('order-900'), 'new')
})

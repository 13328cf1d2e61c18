// What an import has recorded is compared with its file; where they differ, only persons credit money on the account.
import assert from 'node:assert/strict'
import { day } from '../../src/rules/time.ts'
import { findBroken } from '../support/all-invariants.ts'
import { openBank } from '../support/bank.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf, csvOf, type Made, mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type Bank = Awaited<ReturnType<typeof openBank>>

const differenceOf = ({ accounts }: { accounts: readonly { difference?: number }[] }): number | undefined =>
  accounts[0]?.difference

/** A CSV has money that the bank's statement of the same day does not have. */
const bringDoubled = async (bank: Bank) => {
  const before = new Date(Date.parse(bank.date) - day).toISOString().slice(0, 10)
  await bank.bring(mt940Of, [{ minor: 100_00n, date: before }], { closedOn: before })
  await bank.bring(csvOf, [{ minor: 900_00n, text: 'not in the other file' }])
  return bank.bring(mt940Of, [{ minor: 350_00n }, { minor: 560_00n }], { opening: 100_00n, closedOn: bank.date })
}

onEngines(
  'money that a complete file does not have holds crediting on its account until a person has looked',
  async (service) => {
    const bank = await openBank(service)
    const { requisiteId, operator } = bank
    const imported = await bringDoubled(bank)
    assert.equal(differenceOf(imported), 900)
    const { requisites } = (await operator.get('/requisites?limit=500')).body
    const { creditingHeld } = requisites.find(({ id }: { id: string }) => id === requisiteId)
    assert.match(
      creditingHeld.reason,
      /^the books have 900\.00 rub more than the file ".+" for its days; compare .* and then resume crediting$/,
    )
    assert.equal(creditingHeld.statementId, imported.id)
    assert.deepEqual(
      (await findBroken(service.context)).map(({ name }) => name),
      ['statements-add-up'],
    )
    const { waiting } = (await operator.get('/overview')).body
    assert.equal(waiting.find(({ kind }: { kind: string }) => kind === 'crediting-held').count, 1)

    const { body } = await bank.shop.create('order-700', { amount: 700 })
    assert.equal(body.card.id, requisiteId)
    await bank.push('BANKREF-700', { amount: 700 })
    assert.equal(await bank.shop.status('order-700'), 'new')
    const held = (await bank.inbox()).find(({ reasons }) =>
      reasons[0]?.startsWith('automatic crediting on this account is held'),
    )
    assert.match(held?.reasons[1] ?? '', /^without that: exact/)
    const shares = [{ merchantId: bank.shop.merchantId, paymentId: body.payment.id }]
    assert.equal((await bank.decide(held?.id ?? '', 'assign', { shares })).status, 200)
    assert.equal(await bank.shop.status('order-700'), 'paid')

    const resumed = await operator.call('PATCH', `/requisites/${requisiteId}`, {
      crediting: 'automatic',
      reason: 'looked',
    })
    assert.deepEqual([resumed.status, resumed.body.creditingHeld], [200, undefined])
    await bank.shop.create('order-701', { amount: 701 })
    await bank.push('BANKREF-701', { amount: 701 })
    assert.equal(await bank.shop.status('order-701'), 'paid')
    assert.deepEqual(await findBroken(service.context), [])
  },
)

onOne('a closing balance that one person enters hides no difference of the bank’s next file', async (service) => {
  const bank = await openBank(service)
  const dayBefore = (days: number) => new Date(Date.parse(bank.date) - days * day).toISOString().slice(0, 10)
  const [eve, before] = [dayBefore(3), dayBefore(1)]
  await bank.bringAgreed(mt940Of, [{ minor: 100_00n, date: eve }], { closedOn: eve })
  await bank.bring(mt940Of, [{ minor: 900_00n, text: 'invented' }], { opening: 100_00n, closedOn: bank.date })
  const path = `/requisites/${bank.requisiteId}/closing-balances/${before}`
  assert.equal((await bank.operator.call('PUT', path, { currency: 'rub', balance: 101 })).status, 200)
  const rows = [350_00n, 560_00n].map((minor) => ({ minor, text: `real ${minor}` }))
  const imported = await bank.bringAgreed(mt940Of, rows, { opening: 100_00n, closedOn: bank.date })
  assert.equal(differenceOf(imported), 900)
  const looked = { crediting: 'automatic', reason: 'looked' }
  assert.equal((await bank.operator.call('PATCH', `/requisites/${bank.requisiteId}`, looked)).status, 200)
})

onOne('files that overlap, repeat and describe the same money in two formats add up', async (service) => {
  const bank = await openBank(service)
  const yesterday = new Date(Date.parse(bank.date) - day).toISOString().slice(0, 10)
  const [first, second, third] = [
    { minor: 350_00n, date: yesterday },
    { minor: 550_00n },
    { minor: 550_00n, payer: 'Bert Cohn' },
  ] as const
  for (const [render, rows] of [
    [mt940Of, [first]],
    [camtOf, [first, second]],
    [mt940Of, [first, second, third]],
    [camtOf, [second, third]],
    [csvOf, [first, second, third]],
  ] as const)
    assert.equal(differenceOf(await bank.bring(render, rows)), undefined)
  await bank.push('BANKREF-1', { amount: 44 })
  assert.equal(differenceOf(await bank.bring(mt940Of, [first, second, third, { minor: 1_00n }])), undefined)
})

onOne('an operator may hold crediting', async (service) => {
  const bank = await openBank(service)
  const path = `/requisites/${bank.requisiteId}`
  const held = await bank.operator.call('PATCH', path, { crediting: 'held', reason: 'the bank is checking' })
  assert.equal(held.body.creditingHeld.reason, 'the bank is checking')
  await bank.shop.create('order-702', { amount: 702 })
  await bank.push('BANKREF-702', { amount: 702 })
  assert.equal(await bank.shop.status('order-702'), 'new')
  assert.deepEqual(await findBroken(service.context), [])
})

onOne(
  'equal rows of two statements of a day are two, if the second one begins where the first one ends',
  async (service) => {
    const row = { minor: 25_00n, text: 'Order' }
    const halves = (bank: Bank, render = mt940Of) => {
      const at = { closedOn: bank.date }
      return [
        () => bank.upload(render, [row], at),
        () => bank.upload(render, [row], { ...at, opening: 25_00n }),
        () => bank.upload(camtOf, [row, row], at),
      ] as const
    }
    // In either order, and both read before one is confirmed; then both in one file.
    for (const [one, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const bank = await openBank(service)
      const files = halves(bank)
      const [first, second] = [await files[one](), await files[other]()]
      assert.deepEqual([first.counts.new, second.counts.new, second.counts.possibleDuplicates], [1, 1, 0])
      for (const { id } of [second, first]) await bank.confirm(id)
      assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 50)
      const { counts } = await files[2]()
      assert.deepEqual([counts.new - counts.possibleDuplicates, counts.duplicates + counts.alreadyKnown], [0, 2])
    }
    // A third statement of the day is apart from the first, whichever of them comes in between.
    const bank = await openBank(service)
    for (const opening of [0n, 50_00n, 25_00n]) await bank.bring(mt940Of, [row], { closedOn: bank.date, opening })
    assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 75)
    // Where money went in both directions, balances do not tell that: the row waits.
    const mixed = await openBank(service)
    const sent = { minor: -1_00n, text: 'fee' }
    await mixed.bring(mt940Of, [row, sent], { closedOn: bank.date })
    const third = await mixed.bring(mt940Of, [row, { minor: 7_00n }], { closedOn: bank.date, opening: 90_00n })
    assert.deepEqual([third.counts.new, third.counts.possibleDuplicates], [2, 1])
    // Balances that overlap say that it is the same row.
    const same = await openBank(service)
    await same.bring(mt940Of, [row])
    assert.equal((await same.upload(mt940Of, [row], { closedOn: bank.date, opening: 1_00n })).counts.alreadyKnown, 1)
  },
)

onOne('a half that is withdrawn comes again, and further statements of the day go on', async (service) => {
  const row = { minor: 25_00n, text: 'Order' }
  const bank = await openBank(service)
  const at = (opening: bigint) => ({ closedOn: bank.date, opening })
  const first = await bank.bring(mt940Of, [row], at(0n))
  await bank.bring(mt940Of, [row], at(25_00n))
  assert.equal((await bank.operator.call('POST', `/statements/${first.id}/withdraw`, { reason: 'wrong' })).status, 200)
  await service.runJobs()
  await bank.bring(camtOf, [row], at(0n))
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 50)
  await bank.bring(camtOf, [row, row], at(0n))
  await bank.bring(mt940Of, [row], at(50_00n))
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 75)
})

onOne(
  'money that came and went in two statements is not counted twice because their balances meet',
  async (service) => {
    const bank = await openBank(service)
    const ago = (days: number): string => new Date(Date.parse(bank.date) - days * day).toISOString().slice(0, 10)
    const both = [
      { minor: 40_00n, text: 'in', date: ago(1) },
      { minor: -40_00n, text: 'out', date: ago(1) },
    ]
    await bank.bring(camtOf, [...both, { minor: 7_00n }], { opening: 25_00n, closedOn: bank.date })
    await bank.bring(mt940Of, [{ minor: 25_00n, date: ago(2) }, ...both], { closedOn: ago(1) })
    assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 32)
  },
)

onEngines('a sum and its payments wait for a person next to other money of the day, in and out', async (service) => {
  const bank = await openBank(service)
  const parts = [
    { minor: 350_00n, payer: 'Anna Berg' },
    { minor: 550_00n, payer: 'Bert Cohn' },
  ]
  await bank.bring(camtOf, parts)
  const sums = [
    { minor: 900_00n, payer: '', text: 'collected' },
    { minor: 70_00n, payer: 'Carl Dorn', text: 'other' },
  ]
  const { counts } = await bank.bring(mt940Of, sums)
  assert.deepEqual([counts.new, counts.possibleDuplicates], [2, 1])
  const payers = await openBank(service)
  await payers.bring(
    camtOf,
    parts.map((each) => ({ ...each, minor: -each.minor })),
  )
  const sent = await payers.bring(mt940Of, [{ minor: -900_00n, payer: '', text: 'collected' }])
  assert.deepEqual([sent.counts.new, sent.counts.possibleDuplicates], [1, 1])
})

onEngines('equal money out of two statements of a day is two, in two formats, too', async (service) => {
  const bank = await openBank(service)
  const fee = { minor: -25_00n, text: 'fee' }
  await bank.bring(mt940Of, [fee], { closedOn: bank.date, opening: 100_00n })
  await bank.bring(camtOf, [fee], { closedOn: bank.date, opening: 75_00n })
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), -50)
  // Money that went both ways does not tell.
  const mixed = await openBank(service)
  const got = { minor: 5_00n, text: 'got' }
  await mixed.bring(mt940Of, [fee, got], { closedOn: bank.date, opening: 100_00n })
  const second = await mixed.bring(camtOf, [fee], { closedOn: bank.date, opening: 80_00n })
  assert.deepEqual([second.counts.new, second.counts.possibleDuplicates], [1, 1])
})

onOne('money out that a complete file does not have is a difference', async (service) => {
  const bank = await openBank(service)
  const before = new Date(Date.parse(bank.date) - day).toISOString().slice(0, 10)
  await bank.bring(mt940Of, [{ minor: 100_00n, date: before }], { closedOn: before })
  const withoutBalances = (made: Made) => csvOf(made).replace(/^.*остаток.*$/gm, '')
  const file = withoutBalances({
    account: bank.account,
    rows: [{ minor: -30_00n, date: bank.date, text: 'not in the other file' }],
  })
  const uploaded = await uploadFile(service, file, { requisiteId: bank.requisiteId })
  assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
  await bank.confirm(uploaded.body.id)
  const imported = await bank.bring(mt940Of, [{ minor: 50_00n }], { opening: 100_00n, closedOn: bank.date })
  assert.equal(differenceOf(imported), 30)
  await bank.operator.call('PATCH', `/requisites/${bank.requisiteId}`, { crediting: 'automatic', reason: 'looked' })
})

onOne('a part of a day whose other money cancels out differs from nothing', async (service) => {
  const bank = await openBank(service)
  const before = new Date(Date.parse(bank.date) - day).toISOString().slice(0, 10)
  await bank.bring(mt940Of, [{ minor: 400_00n, date: before }], { closedOn: before })
  const [sent, back, last] = [
    { minor: -200_00n, text: 'Order 3', reference: '1' },
    { minor: 200_00n, text: 'Order 1', reference: '2' },
    { minor: 300_00n, text: 'Order 2', reference: '3' },
  ]
  const of = { closedOn: bank.date, opening: 400_00n }
  await bank.bring(mt940Of, [sent, back, last], of)
  assert.equal(differenceOf(await bank.bring(mt940Of, [last], of)), undefined)
  assert.equal(differenceOf(await bank.bring(mt940Of, [sent, back], of)), undefined)
})

onOne('of statements that begin within each other, balances say how much is in both', async (service) => {
  const bank = await openBank(service)
  const row = (payer: string, reference: string) => ({ minor: 100_00n, payer, text: 'Order', reference })
  const [first, both, last] = [row('Anna Berg', 'A-1'), row('Anna Berg', 'A-2'), row('Dora Esch', 'A-3')]
  const at = (opening: bigint) => ({ closedOn: bank.date, opening })
  await bank.bring(mt940Of, [both, last], at(100_00n))
  // 100 of the 200 are in both, and have their reference in both: the other 100 are not certainly those of A-3.
  const { counts } = await bank.bring(camtOf, [first, both], at(0n))
  assert.deepEqual([counts.alreadyKnown, counts.duplicates, counts.possibleDuplicates], [1, 0, 1])
  // Statements that have all of their common day are compared as before.
  const whole = await openBank(service)
  const before = new Date(Date.parse(bank.date) - day).toISOString().slice(0, 10)
  const early = { ...row('Carl Dorn', 'B-1'), date: before }
  await whole.bring(mt940Of, [first, both], at(100_00n))
  const longer = await whole.bring(camtOf, [early, { ...first, reference: '1' }, { ...both, reference: '2' }], at(0n))
  assert.deepEqual([longer.counts.new, longer.counts.duplicates, longer.counts.possibleDuplicates], [1, 2, 0])
})

onOne('two statements of a day that are read at once are two', async (service) => {
  const bank = await openBank(service)
  const row = { minor: 25_00n, text: 'Order', reference: 'BANKREFERENCE1' }
  const read = await Promise.all(
    [0n, 25_00n].map((opening) => bank.upload(mt940Of, [row], { closedOn: bank.date, opening })),
  )
  for (const { id } of read) await bank.confirm(id)
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 50)
})

onOne('a statement that was only read, in another format too, makes no row of a neighbour known', async (service) => {
  const bank = await openBank(service)
  const at = (opening: bigint) => ({ closedOn: bank.date, opening })
  const sent = { minor: -300_00n, text: 'Order', reference: 'COLLECTIVE-1' }
  const first = await bank.upload(mt940Of, [sent], at(1000_00n))
  const again = await bank.upload(camtOf, [sent], at(1000_00n))
  const second = await bank.upload(camtOf, [sent, { minor: 300_00n, text: 'got' }], at(700_00n))
  for (const { id } of [second, first, again]) await bank.confirm(id)
  const { outgoing } = (await bank.operator.get(`/outgoing?requisiteId=${bank.requisiteId}`)).body
  assert.deepEqual(outgoing.map(({ duplicateOf }: { duplicateOf?: string }) => duplicateOf === undefined).toSorted(), [
    false,
    true,
  ])
})

onOne('the key that a row of a neighbour had when it was read names no money', async (service) => {
  const bank = await openBank(service)
  const at = (opening: bigint) => ({ closedOn: bank.date, opening })
  const sent = (payer: string) => ({ minor: -100_00n, payer, text: 'Order', reference: 'COLLECTIVE-1' })
  const second = await bank.upload(mt940Of, [sent('Anna Berg')], at(800_00n))
  const first = await bank.upload(mt940Of, [sent('Bert Cohn')], at(900_00n))
  const whole = await bank.upload(mt940Of, [sent('Bert Cohn'), sent('Anna Berg'), { minor: -300_00n }], at(900_00n))
  for (const { id } of [whole, second, first]) await bank.confirm(id)
  const { outgoing } = (await bank.operator.get(`/outgoing?requisiteId=${bank.requisiteId}`)).body
  const certain = outgoing.filter(({ duplicateOf }: { duplicateOf?: string }) => duplicateOf === undefined)
  assert.deepEqual(certain.map(({ amount }: { amount: number }) => amount).toSorted(), [100, 100, 300])
})

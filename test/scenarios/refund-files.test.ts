// Many refunds in one file for a bank: from their approval until the statement of the bank proves them.
import assert from 'node:assert/strict'
import { eachSendable, openSendingAccount } from '../../src/engine/transfers/refunds/bank-file.ts'
import { bankBic as bic, openBank } from '../support/bank.ts'
import { newsOf, owedIn } from '../support/ledger.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine } from '../support/service.ts'
import { openRefundDesk, payerAccount } from '../support/refund-desk.ts'
import { payIn } from '../support/shop.ts'

type Listed = {
  readonly id: string
  readonly orderId: string
  readonly reference: string
  readonly amount: number
  readonly paymentOrder: number
  readonly why: string
}

const contentOf = (body: { content: string }, charset = 'utf-8'): string =>
  new TextDecoder(charset).decode(Buffer.from(body.content, 'base64'))

const orders = (body: { refunds: readonly Listed[] }): string[] =>
  body.refunds.map(({ reference, amount, paymentOrder }) => `${paymentOrder} ${reference} ${amount}`)

onBothEngines(
  'approved refunds go to the bank in one file of each format, and its statement proves them',
  async (service) => {
    const desk = await openRefundDesk(service)
    const { shop } = desk
    const before = await owedIn(service, shop.merchantId)
    let number = 0
    for (const format of ['1c', 'pain.001', 'csv'] as const) {
      const indexes = [1, 2, 3].map((each) => number + each)
      const ids: string[] = []
      for (const index of indexes) ids.push(await desk.approved(index))
      const { status, body } = await desk.file({ format })
      assert.equal(status, 200, JSON.stringify(body))
      const sums = indexes.map((index) => 1000 + index)
      assert.deepEqual([body.amount, body.currency, body.isMore], [sums.reduce((a, b) => a + b), 'rub', false])
      assert.deepEqual(body.leftOut, [])
      const first: number = body.bankFile
      assert.deepEqual(
        orders(body),
        indexes.map((index, at) => `${first + at} refund-${index} ${1000 + index}`),
      )
      const content = contentOf(body, format === '1c' ? 'windows-1251' : 'utf-8')
      for (const index of indexes)
        for (const part of [
          `${1000 + index}.00`,
          payerAccount(index),
          `Возврат по заказу ord-${index}, refund-${index}`,
        ])
          assert.ok(content.includes(part), `${format} lacks ${part}: ${content}`)
      for (const id of ids) assert.equal(await desk.statusOf(id), 'sent')
      // The same file again, and no refund in another one.
      const again = await desk.file({ format, again: first })
      assert.deepEqual([again.status, again.body.content], [200, body.content])
      const nothing = await desk.file({ format })
      assert.deepEqual([nothing.status, nothing.body.refunds, nothing.body.bankFile], [200, [], undefined])
      const read = (await desk.finance.get(`/refunds/${shop.merchantId}/${ids[0] ?? ''}`)).body
      assert.equal(read.bankFile, first)
      await desk.bring(
        ...indexes.map((index) => ({
          ...{ minor: BigInt(-1000 - index) * 100n, payer: 'Иванов Иван', payerAccount: payerAccount(index) },
          text: `Возврат по заказу ord-${index}, refund-${index}`,
        })),
      )
      for (const id of ids) assert.equal(await desk.statusOf(id), 'done')
      assertProblem(await desk.file({ format, again: first }), 404, 'resource_not_found')
      number += 3
    }
    assert.equal((await newsOf(service, shop.merchantId, 'refund.done')).length, 9)
    const owed = await owedIn(service, shop.merchantId)
    assert.deepEqual(
      owed.filter((line) => line.startsWith('refund') || line.startsWith('overpayment')),
      before.filter((line) => line.startsWith('refund') || line.startsWith('overpayment')),
    )
  },
)

onOneEngine('what a file cannot have is left out with the reason, and stays approved', async (service) => {
  const desk = await openRefundDesk(service)
  const good = await desk.approved(1)
  const noBank = await desk.approved(2, {}, { senderBank: 'bank-b' })
  const phone = await desk.approved(3, {}, { sender: '79990001122' })
  const written = await desk.approved(
    4,
    { payTo: `${payerAccount(4)}, БИК ${bic}, Петрова Анна` },
    { sender: undefined, senderName: undefined, senderBank: undefined },
  )
  const unclear = await desk.approved(
    5,
    { payTo: 'карта 2200 0000 0000 0004, Петрова' },
    { sender: undefined, senderName: undefined, senderBank: undefined },
  )
  const foreign = await desk.approved(6, {}, { senderName: 'Қодиров Ўткир' })
  const { body } = await desk.file({})
  assert.deepEqual(
    body.refunds.map(({ id }: Listed) => id),
    [good, written],
  )
  const reasons = new Map(body.leftOut.map(({ id, why }: Listed) => [id, why]))
  assert.match(String(reasons.get(noBank)), /Nobody knows the BIC/)
  assert.match(String(reasons.get(phone)), /Nobody knows an account of 20 digits/)
  assert.match(String(reasons.get(unclear)), /Nobody knows an account of 20 digits/)
  assert.match(String(reasons.get(foreign)), /character that the format does not have: Қ/)
  assert.equal(reasons.size, 4)
  for (const id of reasons.keys()) assert.equal(await desk.statusOf(String(id)), 'approved')
  assert.match(contentOf(body, 'windows-1251'), /Получатель1=Петрова Анна\r\n/)

  // A table has whatever is known.
  const table = (await desk.file({ format: 'csv' })).body
  assert.deepEqual(table.leftOut, [])
  const lines = contentOf(table).trimEnd().split('\r\n')
  assert.equal(lines.length, 5)
  assert.match(contentOf(table), /,79990001122,79990001122,/)
  assert.match(contentOf(table), /,"карта 2200 0000 0000 0004, Петрова",/)
})

onOneEngine(
  'a copy of a file pays whom the first one paid, whatever is known of the payer by then',
  async (service) => {
    const desk = await openRefundDesk(service)
    const { requisiteId, shop } = desk
    const payTo = `${payerAccount(2)}, БИК ${bic}, Петрова Анна`
    const nameless = { sender: undefined, senderName: undefined, senderBank: undefined }
    const known = await desk.approved(1)
    await desk.approved(2, { payTo }, nameless)
    const first = (await desk.file({})).body
    assert.equal(first.refunds.length, 2)
    // Somebody else sends as much to the first payment: who its payer is would not be certain now.
    const { merchantId, paymentId } = (await desk.finance.get(`/refunds/${shop.merchantId}/${known}`)).body
    const from = { sender: payerAccount(9), senderName: 'Сидоров Пётр', senderBank: 'bank-a' }
    const { id } = await payIn(service, { requisiteId, minor: 1001_00n, reference: 'more', ...from })
    const assigned = await desk.finance.call('POST', '/transfers/decide', {
      transfers: [{ requisiteId, id, decision: 'assign', shares: [{ merchantId, paymentId }] }],
    })
    assert.equal(assigned.body.transfers[0].state, 'done', JSON.stringify(assigned.body))
    const again = (await desk.file({ again: first.bankFile })).body
    assert.deepEqual([again.content, again.refunds, again.leftOut], [first.content, first.refunds, []])
    // Another bank asks for another format: the same payees.
    const table = contentOf((await desk.file({ again: first.bankFile, format: 'csv' })).body)
    assert.ok(table.includes(payerAccount(1)) && !table.includes(payerAccount(9)), table)
  },
)

onOneEngine('refunds that a file cannot have hide no later ones, however many they are', async (service) => {
  const desk = await openRefundDesk(service)
  const ids: string[] = []
  for (const index of [1, 2, 3]) ids.push(await desk.approved(index, {}, { sender: `7999000112${index}` }))
  for (const index of [4, 5, 6]) ids.push(await desk.approved(index))
  const account = await openSendingAccount(service.context, desk.requisiteId, '1c')
  // A page of two is all of phones, whom payment orders do not name; the next one begins with another.
  const met = await Array.fromAsync(eachSendable(service.context, account, null, 2), ({ id }) => id)
  assert.deepEqual(met, ids)
  const { body } = await desk.file({})
  assert.deepEqual(
    [body.leftOut, body.refunds].map((listed) => listed.map(({ id }: Listed) => id)),
    [ids.slice(0, 3), ids.slice(3)],
  )
})

onOneEngine('a refund is in one file only, whoever asks at the same time', async (service) => {
  const desk = await openRefundDesk(service)
  const ids: string[] = []
  for (const index of [1, 2, 3, 4, 5]) ids.push(await desk.approved(index))
  const by = openOperator(service, 'boris')
  const answers = await Promise.all([desk.file({}), desk.file({}, by), desk.file({ format: 'csv' }), desk.file({}, by)])
  const sent = answers.flatMap(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body))
    return (body.refunds as Listed[]).map(({ id, paymentOrder }) => [id, paymentOrder] as const)
  })
  assert.deepEqual(sent.map(([id]) => id).toSorted(), ids.toSorted())
  assert.equal(new Set(sent.map(([, number]) => number)).size, 5)
})

onOneEngine(
  'one that was sent by hand is in no file, and one that the bank has reported is done at once',
  async (service) => {
    const desk = await openRefundDesk(service)
    const { requisiteId, shop, finance } = desk
    const [byHand, reported, other] = [await desk.approved(1), await desk.approved(2), await desk.approved(3)]
    assert.equal(
      (await finance.call('POST', `/refunds/${shop.merchantId}/${byHand}/send`, { requisiteId })).status,
      200,
    )
    const payee = { payer: 'Иванов Иван', payerAccount: payerAccount(2) }
    await desk.bring({ minor: -1002_00n, ...payee, text: 'Refund' })
    const { body } = await desk.file({})
    assert.deepEqual(
      [body.refunds.map(({ id }: Listed) => id), body.leftOut.map(({ id }: Listed) => id)],
      [[other], [reported]],
    )
    assert.equal(await desk.statusOf(reported), 'done')
    // Money that nobody has explained may have paid one: it waits.
    const unclear = await desk.approved(4)
    await desk.bring({ minor: -1004_00n, payer: 'Somebody else', text: 'Rent' })
    const waiting = (await desk.file({})).body
    assert.deepEqual([waiting.refunds, waiting.leftOut.map(({ id }: Listed) => id)], [[], [unclear]])
    assert.match(waiting.leftOut[0].why, /may have paid it: say first what that was for/)
    assert.equal(await desk.statusOf(unclear), 'approved')
    const again = (await desk.file({ again: body.bankFile })).body
    assert.deepEqual(orders(again), orders(body))
  },
)

onOneEngine(
  'an account sends only what is of its owner, mode and currency, and only what its bank can read',
  async (service) => {
    const [desk, other, sandbox] = [
      await openRefundDesk(service),
      await openRefundDesk(service),
      await openRefundDesk(service, 'sandbox'),
    ]
    const mine = await desk.approved(1)
    const theirs = await other.approved(1)
    const sandboxed = await sandbox.approved(1)
    assertProblem(await desk.file({ merchantId: other.shop.merchantId }), 400, 'validation_failed')
    const idsOf = async (each: typeof desk): Promise<string[]> =>
      (await each.file({})).body.refunds.map(({ id }: Listed) => id)
    assert.deepEqual([await idsOf(sandbox), await idsOf(other), await idsOf(desk)], [[sandboxed], [theirs], [mine]])
    assertProblem(await desk.file({ again: 999_999 }), 404, 'resource_not_found')
    const bare = await openBank(service)
    const refused = await desk.file({ requisiteId: bare.requisiteId })
    assertProblem(refused, 400, 'validation_failed')
    assert.match(refused.body.detail, /Nobody knows the BIC/)
  },
)

onOneEngine(
  'the audit has each refund whose payer a file names; only finance and owners get one, and not many',
  async (service) => {
    const desk = await openRefundDesk(service)
    const ids = [await desk.approved(1), await desk.approved(2)]
    const reason = `For ${payerAccount(1)}`
    const { body } = await desk.file({ reason })
    const { entries } = (await desk.finance.get('/audit?limit=50')).body
    const revealed = entries.filter(({ action }: { action: string }) => action === 'refund.reveal')
    assert.deepEqual(
      revealed.map(({ subject }: { subject: string }) => subject).toSorted(),
      ids.map((id) => `refund:${desk.shop.merchantId}/${id}`).toSorted(),
    )
    for (const { actor, details } of revealed) {
      assert.deepEqual([actor, details.bankFile, details.format], ['operator:anna', body.bankFile, '1c'])
      assert.ok(details.reason.startsWith('For ') && !details.reason.includes(payerAccount(1)), details.reason)
    }
    const sends = entries.filter(({ action }: { action: string }) => action === 'refund.send')
    assert.deepEqual(
      sends.map(({ details }: { details: { bankFile: number } }) => details.bankFile),
      [body.bankFile, body.bankFile],
    )
    for (let files = 0; files < 19; files++) assert.equal((await desk.file({ again: body.bankFile })).status, 200)
    assertProblem(await desk.file({ again: body.bankFile }), 429, 'rate_limited')
  },
)

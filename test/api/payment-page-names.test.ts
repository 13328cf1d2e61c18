// The payer's page asks for a name where several may pay the same amount, and the name and a code distinguish their money.
import assert from 'node:assert/strict'
import { nullable, query, text, uuid } from 'payin-database'
import { paymentCode } from '../../src/rules/payments/payment-code.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { sendForm } from '../support/page-states.ts'
import { assertHealthy, onOneEngine, type TestService } from '../support/service.ts'
import { openShop, send, type Shop } from '../support/shop.ts'

const sealedName = query('test_sealed_name', {
  parameters: { id: uuid },
  row: { sealed: nullable(text) },
  text: `select payer_name_sealed as sealed from payments where id = :id`,
})

const start = async (shop: Shop, orderId: string, fields: Record<string, unknown> = {}) => {
  const { status, body } = await shop.create(orderId, { amount: 990, type: 'staged', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  const path = new URL(body.redirectUrl).pathname
  return { id: body.payment.id as string, requisiteId: body.card.id as string, path: `/en${path}` }
}

const pageOf = async (service: TestService, path: string): Promise<string> => (await send(service, path)).body

const nameOf = async ({ context }: TestService, id: string): Promise<string | undefined> => {
  const [row] = await context.query(sealedName, { id })
  const cell = { table: 'payments', column: 'payer_name_sealed', row: id }
  return row?.sealed ? context.vault.decrypt(row.sealed, cell) : undefined
}

const phones = ['+79990000001', '+79990000002', '+79990000003']

onOneEngine(
  '200: a name is asked for only if the next payer of the amount would have to share the account',
  async (service) => {
    const asks = async (path: string): Promise<boolean> => (await pageOf(service, path)).includes('name="name"')
    const roomy = await openShop(service, { perMethod: 2 })
    assert.equal(await asks((await start(roomy, 'first')).path), false)
    assert.equal(await asks((await start(roomy, 'second')).path), true)
    assert.equal(await asks((await start(roomy, 'third')).path), true)
    assert.equal(await asks((await start(roomy, 'other', { amount: 991 })).path), false)
    const strict = await openShop(service, { perMethod: 1, terms: { equalAmounts: 'refuse' } })
    const alone = await start(strict, 'alone')
    assert.equal(await asks(alone.path), false)
    // A name that nobody asked for is not stored.
    await sendForm(service, `${alone.path}/details`, { phone: phones[0] ?? '', name: 'Ivan P.', bank: '' })
    assert.equal(await nameOf(service, alone.id), undefined)
    assert.ok(!(await pageOf(service, alone.path)).includes(paymentCode(alone.id)))
  },
)

onOneEngine('422: a page that asks for a name accepts no payer without one', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { id, path } = await start(shop, 'named')
  for (const name of ['', 'Ivan', 'I. P.', '12 34', 'x'.repeat(90), 'Ivan\u0007 Petrov']) {
    const answer = await sendForm(service, `${path}/details`, { phone: phones[0] ?? '', name, bank: 'bank-a' })
    assert.equal(answer.status, 422, name)
    assert.match(answer.body, /Enter your first name/)
    assert.equal(await nameOf(service, id), undefined)
  }
  const wrong = await sendForm(service, `${path}/details`, { phone: '1', name: 'Ivan Ivanovich P.', bank: 'bank-a' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.body, /value="Ivan Ivanovich P\."/)
})

onOneEngine(
  '303: the name is stored sealed, its code is shown, and both are of the payer who corrects them',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const { id, path } = await start(shop, 'named')
    const form = { phone: phones[0] ?? '', name: '  Иван   Иванович П. ', bank: 'bank-a' }
    assert.equal((await sendForm(service, `${path}/details`, form)).status, 303)
    assert.equal(await nameOf(service, id), 'Иван Иванович П.')
    assert.ok((await pageOf(service, path)).includes(`data-copy="${paymentCode(id)}"`))
    assert.ok((await pageOf(service, `${path}/change`)).includes('name="name"'))
    const changed = { phone: phones[1] ?? '', name: 'Олег К.', bank: 'bank-b' }
    assert.equal((await sendForm(service, `${path}/change`, changed)).status, 303)
    assert.equal(await nameOf(service, id), 'Олег К.')
    assert.ok(service.logs.every((line) => !line.includes('Олег') && !line.includes('Иванович')))
  },
)

onOneEngine('a shop with one account and one price: names, banks and codes distinguish its payers', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const names = ['Иван Иванович П.', 'Олег К.', 'Анна С.']
  const made = []
  for (const [index, name] of names.entries()) {
    const one = await start(shop, `sale-${index}`)
    const form = { phone: phones[index] ?? '', name, bank: index === 2 ? '' : 'bank-a' }
    assert.equal((await sendForm(service, `${one.path}/details`, form)).status, 303)
    made.push(one)
  }
  const requisiteId = made[0]?.requisiteId ?? ''
  let rows = 0
  const pay = async (sent: { senderName?: string; senderBank?: string; text?: string }) => {
    const money = { requisiteId, currency: 'rub', amount: 990_00n, source: 'test', sender: null, ...sent }
    const row = { ...money, bookedAt: service.clock.now, bankReference: `sale-${++rows}` }
    const [recorded] = await service.context.transaction((tx) => recordTransfers(tx, [row]))
    return [recorded?.outcome, recorded?.paymentId]
  }
  // Nobody, a name without its bank, and a stranger.
  for (const sent of [{}, { senderName: 'ПЕТРОВ ИВАН ИВАНОВИЧ' }, { senderName: 'Пётр Ж.', senderBank: 'bank-a' }]) {
    assert.deepEqual(await pay(sent), ['ambiguous', null])
  }
  assert.deepEqual(await pay({ senderName: 'ПЕТРОВ ИВАН ИВАНОВИЧ', senderBank: 'bank-a' }), ['exact', made[0]?.id])
  assert.deepEqual(await pay({ text: `Перевод ${paymentCode(made[2]?.id ?? '').toLowerCase()}` }), [
    'exact',
    made[2]?.id,
  ])
  assert.deepEqual(await pay({ senderName: 'Олег К.', senderBank: 'bank-a' }), ['exact', made[1]?.id])
  assert.deepEqual(
    [await shop.status('sale-0'), await shop.status('sale-1'), await shop.status('sale-2')],
    ['paid', 'paid', 'paid'],
  )
  await assertHealthy(service)
})

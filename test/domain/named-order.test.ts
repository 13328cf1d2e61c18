import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentCode } from '../../src/domain/payment-code.ts'
import { mayNameOrder, namedOrders } from '../../src/domain/named-order.ts'

const [shop5, shop6, number, long, part] = ['SHOP-00305', 'SHOP-00306', '1001', 'ord-1-2', 'ord-1']
const code = paymentCode('payment-0')
const id = '0193e0c4-7c1a-7000-8000-000000000001'

// A text, the orders that are open, and those that it names.
const rows: readonly (readonly [text: string | null, orders: readonly string[], named: readonly string[]])[] = [
  [null, [shop6], []],
  ['без номера', [shop6], []],
  ['SHOP-00306', [shop5, shop6], [shop6]],
  ['Order SHOP-00306 thanks', [shop5, shop6], [shop6]],
  ['SHOP00306', [shop5, shop6], [shop6]],
  ['SHOP 00306', [shop5, shop6], [shop6]],
  ['shop-00306', [shop5, shop6], [shop6]],
  ['SHOP-0306', [shop5, shop6], [shop6]],
  ['SHOP-306x', [shop5, shop6], [shop6]],
  ['SНОР-00306 кириллицей', [shop5, shop6], [shop6]],
  ['SHOP-00305, SHOP-00306', [shop5, shop6], [shop5, shop6]],
  ['SHOP-3061', [shop5, shop6], []],
  ['WORKSHOP-00306', [shop6], []],
  ['SHOP', [shop6], []],
  // The exact spelling first; where a spelling may mean two, it names none.
  ['SHOP-306', ['SHOP-306', shop6], ['SHOP-306']],
  ['SHOP-0306', ['SHOP-306', shop6], []],
  ['ord-1-2', [long, part], [long]],
  ['ord-1', [long, part], [part]],
  // A number alone.
  ['оплата заказа 1001', [number], [number]],
  ['№1001', [number], [number]],
  ['1001.', [number], [number]],
  ['01001', [number], []],
  ['A1001', [number], []],
  ['1001руб', [number], []],
  ['1001.50', [number], []],
  ['1001,50', [number], []],
  ['от 27.11.2026', ['2026'], []],
  ['2026-11-27', ['2026'], []],
  ['на сумму 2500', ['2500'], []],
  ['17', ['17'], []],
  ['спасибо', ['спасибо'], []],
  // The code of payment-0, in Latin and in Cyrillic letters.
  [`${code} спасибо`, ['ord-7', 'ord-8'], ['ord-7']],
  [`${code.toLowerCase()}, ord-8`, ['ord-7', 'ord-8'], ['ord-7', 'ord-8']],
  // Its own id.
  [`платёж ${id}`, ['x'], ['x']],
]

for (const [text, orders, named] of rows) {
  test(`${text} names ${named.join(' and ') || 'nothing'} of ${orders.join(', ')}`, () => {
    const payments = orders.map((orderId, index) => ({ orderId, id: orderId === 'x' ? id : `payment-${index}` }))
    const found = namedOrders({ text, amount: 2500_00n, currency: 'rub' }, payments)
    assert.deepEqual([...found].map(({ orderId }) => orderId).toSorted(), named.toSorted())
    assert.equal(named.length === 0 || mayNameOrder(text), true)
  })
}

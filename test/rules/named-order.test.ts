import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentCode } from '../../src/rules/payments/payment-code.ts'
import { leastWorkOf } from '../support/work-of.ts'
import { codedPayments, mayNameOrder, namedOrders } from '../../src/rules/transfers/named-order.ts'

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
  ['1001.', [number], []],
  ['Заказ 1001.', [number], [number]],
  ['100123', ['100123'], ['100123']],
  ['2202 *** 5678', ['5678'], []],
  ['с карты *427612', ['427612'], []],
  ['Оплата за июль 2026 года', ['2026'], []],
  ['15.07.2026', ['15-07'], []],
  ['Сумма 250000,00', ['250000-00'], []],
  ['НДС 20% 833.33', ['НДС 20.5'], []],
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
]

for (const [text, orders, named] of rows) {
  test(`${text} names ${named.join(' and ') || 'nothing'} of ${orders.join(', ')}`, () => {
    const payments = orders.map((orderId, index) => ({
      orderId,
      merchantId: 'shop',
      id: orderId === 'x' ? id : `payment-${index}`,
    }))
    const found = namedOrders({ text, amount: 2500_00n, currency: 'rub' }, payments)
    assert.deepEqual([...found].map(({ orderId }) => orderId).toSorted(), named.toSorted())
    assert.equal(named.length === 0 || mayNameOrder(text), true)
  })
}

test('a code or an id names its payment, in Latin and in Cyrillic letters', () => {
  const payments = ['payment-0', 'payment-1', id].map((each) => ({ id: each, isPayerNamed: true }))
  const named = (text: string): string[] => [...codedPayments({ text }, payments)].map((each) => each.id)
  assert.deepEqual(named(`${code} спасибо`), ['payment-0'])
  assert.deepEqual(named(`перевод ${code.toLowerCase()}, ${paymentCode('payment-1')}`), ['payment-0', 'payment-1'])
  assert.deepEqual(named(`платёж ${id.toUpperCase()}`), [id])
  assert.deepEqual(named('спасибо'), [])
  // Only who has been shown a code can mean it.
  assert.equal(codedPayments({ text: code }, [{ id: 'payment-0', isPayerNamed: false }]).size, 0)
})

test('a text that names an order many times costs no more with orders of one spelling than with others', async () => {
  const text = 'a 1000 '.repeat(71)
  const ordersOf = (spell: (index: number) => string) =>
    Array.from({ length: 1000 }, (_, index) => ({ merchantId: `shop-${index % 7}`, orderId: spell(index) }))
  const name = (payments: ReturnType<typeof ordersOf>) => namedOrders({ text, amount: 1n, currency: 'rub' }, payments)
  const alike = ordersOf((index) => `a${'-'.repeat(index % 100)}1000`)
  const others = ordersOf((index) => `b${'-'.repeat(index % 100)}1000`)
  assert.deepEqual([name(alike).size, name(others).size], [1000, 0])
  // Each mention was once compared with all others: a thousand times the work.
  const enough = 20 * (await leastWorkOf(() => name(others), 0)) + 50
  assert.ok((await leastWorkOf(() => name(alike), enough)) <= enough)
})

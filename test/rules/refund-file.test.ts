// Who gets a refund that a file sends, by what banks have reported or a merchant has written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import {
  checkRefundOrder,
  type NamedBank,
  orderAfter,
  payeeOfRefund,
  type RefundEvidence,
  type RefundPayee,
  shownOrder,
  writeRefundFile,
} from '../../src/rules/transfers/refund-file.ts'

const bic = '044525225'
const bank: NamedBank = { name: 'Банк А', bic, correspondentAccount: '30101810400000000225' }
const account = withAccountKey('40817810000000001234', bic)
const wrongAccount = withAccountKey('40817810000000001234', '044525974')
const findBank = (wanted: string): NamedBank | undefined => (wanted === bic ? bank : undefined)

const payee = (evidence: Partial<RefundEvidence>): RefundPayee => {
  const found = payeeOfRefund({ payTo: null, payers: [], isCovered: true, ...evidence }, findBank)
  if (typeof found === 'string') throw new Error(found)
  return found
}

test('what a merchant has written is an order only if account, bank and name are certain', () => {
  const written = (payTo: string) => {
    const { name, account: number, bank: its } = payee({ payTo }).party
    return [name, number, its?.bic ?? null]
  }
  const whole = ['Иванов Иван', account, bic]
  for (const text of [
    `${account}, БИК ${bic}, Иванов Иван`,
    `Иванов Иван; счёт ${account}; BIC: ${bic}`,
    `Получатель: Иванов Иван, р/с ${account} / ${bic}`,
  ])
    assert.deepEqual(written(text), whole, text)
  assert.deepEqual(written(`${account}, Иванов Иван`), ['Иванов Иван', account, null])
  assert.deepEqual(written(`${wrongAccount}, ${bic}, Иванов Иван`), ['Иванов Иван', wrongAccount, null])
  assert.deepEqual(written(`${account}, ${bic}, Иванов Иван, для Петровой`), [null, account, bic])
  assert.deepEqual(written(`${account}, ${wrongAccount}, ${bic}, Иванов Иван`), [null, null, null])
  assert.deepEqual(written('Anna Berg, DE89370400440532013000'), ['Anna Berg', 'DE89370400440532013000', null])
  assert.deepEqual(written('Anna Berg, DE89370400440532013001'), [null, null, null])
  assert.deepEqual(written('карта 2200000000000004'), [null, null, null])
})

test('the account that paid gets it, if one has paid the most', () => {
  const payer = { number: account, name: 'Иванов Иван', bank }
  assert.deepEqual(payee({ payers: [payer] }).party, {
    ...{ name: 'Иванов Иван', account },
    bank: { bic, name: 'Банк А', correspondentAccount: '30101810400000000225' },
  })
  assert.equal(payee({ payers: [{ ...payer, number: wrongAccount }] }).party.bank, null)
  const masked = payee({ payers: [{ ...payer, number: '4081781*********1234' }] })
  assert.deepEqual([masked.party.account, masked.number], [null, null])
  const phone = payee({ payers: [{ ...payer, number: '+7 (999) 123-45-67' }] })
  assert.deepEqual([phone.party.account, phone.phone], [null, '79991234567'])
  const several = payeeOfRefund({ payTo: null, isCovered: true, payers: [payer, { ...payer, number: '1' }] }, findBank)
  assert.ok(typeof several === 'string' && several.startsWith('Several accounts'))
})

test('a table needs only that somebody can be reached; its cells are no formulas', () => {
  const refund = { id: '019a0000-0000-7000-8000-000000000001', orderId: '=1+1', reference: 'r-1' }
  const sent = { ...refund, currency: 'rub', amount: 300_50n }
  assert.match(checkRefundOrder('csv', sent, payee({})) ?? '', /only a part/)
  const byPhone = payee({ payers: [{ number: '79991234567', name: null, bank: undefined }] })
  assert.equal(checkRefundOrder('csv', sent, byPhone), undefined)
  const { fileName, content } = writeRefundFile('csv', {
    ...{ number: 17, writtenAt: '2026-01-31T10:30:00', currency: 'rub' },
    payer: { name: 'Shop', account, bank: null },
    sent: [{ refund: sent, order: 17, payee: byPhone }],
  })
  assert.equal(fileName, 'refunds-17.csv')
  const [, line = ''] = new TextDecoder().decode(content).split('\r\n')
  assert.ok(line.startsWith(`17,2026-01-31,300.50,rub,${account},,79991234567,79991234567,`), line)
  assert.ok(line.includes(`,'=1+1,r-1,019a0000000070008000000000000001`), line)
})

test('numbers of orders rise, and never end with three zeros', () => {
  assert.equal(orderAfter(0), 1)
  assert.equal(orderAfter(997), 998)
  assert.equal(orderAfter(998), 999)
  assert.equal(orderAfter(999), 1001)
  assert.equal(shownOrder(orderAfter(999_999)), 1)
})

// A bank whose account payment orders can name, with approved refunds to send.
import assert from 'node:assert/strict'
import { setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import { bankBic as bic, openBank } from './bank.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { payIn } from './shop.ts'
import { mt940Of } from './statement-files.ts'

const correspondentAccount = '30101810400000000225'

/** The account of a payer at bank-a, whose check digit fits its BIC. */
export const payerAccount = (index: number): string => withAccountKey(`4081781000000000${String(1000 + index)}`, bic)

/** A bank whose account payment orders can name, with a shop and its refunds. */
export const openRefundDesk = async (
  service: TestService,
  mode: 'live' | 'sandbox' = 'live',
  quoteCurrency = 'USDT',
) => {
  const bank = await openBank(service, mode, { terms: { feePpm: 0 }, settings: { quoteCurrency } })
  await service.context.transaction((tx) =>
    setBankIssuers(tx, [
      { code: 'bank-a', name: 'Банк А', country: 'RU', sbpMemberId: null, bic, correspondentAccount },
    ]),
  )
  const { shop, requisiteId } = bank
  const finance = openOperator(service, 'anna')
  /** A refund that was approved, of a payment by this account. */
  const approved = async (index: number, more: object = {}, sender: object = {}): Promise<string> => {
    const orderId = `ord-${index}`
    const created = await shop.create(orderId, { amount: 1000 + index })
    assert.ok(created.body.payment, JSON.stringify(created.body))
    await payIn(service, {
      ...{ requisiteId, minor: BigInt(1000 + index) * 100n, sender: payerAccount(index) },
      ...{ senderName: 'Иванов Иван', senderBank: 'bank-a' },
      ...sender,
    })
    assert.equal(await shop.status(orderId), 'paid')
    const asked = await shop.post(`/payments/byOrderId/${orderId}/refunds`, { reference: `refund-${index}`, ...more })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    const done = await finance.call('POST', `/refunds/${shop.merchantId}/${asked.body.id}/approve`)
    assert.equal(done.body.status, 'approved', JSON.stringify(done.body))
    return asked.body.id
  }
  return {
    ...{ ...bank, finance, approved },
    file: (body: object, by = finance) =>
      by.call('POST', '/refunds/bank-file', { requisiteId, format: '1c', reason: 'Refunds of today', ...body }),
    statusOf: async (id: string): Promise<string> => (await shop.get(`/refunds/${id}`)).body.status,
    bring: (...rows: object[]) => bank.bringAgreed(mt940Of, rows),
  }
}

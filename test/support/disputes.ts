import assert from 'node:assert/strict'
import { hour } from '../../src/rules/time.ts'
import { getEntries } from '../../src/engine/ledger/read.ts'
import { ledgerOf } from './ledger.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { type Answer, openShop, send, type Shop } from './shop.ts'

/** The smallest content that counts as a PNG; different marks make different files. */
export const pngFile = (mark = ''): Buffer => Buffer.from(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${mark}`, 'latin1')

/** A payment of a test. */
export type Made = {
  readonly orderId: string
  readonly merchantId: string
  readonly id: string
  readonly requisiteId: string
}

/** A shop with its operators, and calls for tests about disputes. */
export type Court = ReturnType<typeof courtOf>

const courtOf = (service: TestService, shop: Shop) => {
  const anna = openOperator(service, 'anna')
  const boris = openOperator(service, 'boris')
  const address = (orderId: string): string => `/payments/byOrderId/${orderId}/dispute`
  return {
    service,
    shop,
    anna,
    boris,
    create: async (orderId: string, fields: Record<string, unknown> = {}): Promise<Made> => {
      const { status, body } = await shop.create(orderId, fields)
      assert.equal(status, 201, JSON.stringify(body))
      return { orderId, merchantId: shop.merchantId, id: body.payment.id, requisiteId: body.card.id }
    },
    /** Moves the clock past the time limits of all payments. */
    expire: async (): Promise<void> => {
      service.clock.advance(hour)
      await service.runJobs()
    },
    claim: (orderId: string, fields: object = {}): Promise<Answer> =>
      shop.post(address(orderId), { amount: 5000, ...fields }),
    withdraw: (orderId: string): Promise<Answer> => shop.post(`${address(orderId)}/withdraw`, {}),
    dispute: (orderId: string): Promise<Answer> => shop.get(address(orderId)),
    upload: (orderId: string, content: Buffer, type = 'image/png'): Promise<Answer> =>
      send(service, `/api/v1/merchant${address(orderId)}/evidence`, {
        method: 'POST',
        headers: { authorization: `Bearer ${shop.token}`, 'content-type': type },
        body: new Uint8Array(content),
      }),
    /** One operator action on a dispute. */
    step: (name: 'decision' | 'confirm', id: string, body: object, by = anna): Promise<Answer> =>
      by.call(
        'POST',
        `/disputes/${shop.merchantId}/${id}/${name}`,
        name === 'confirm' ? body : { note: 'seen', ...body },
      ),
    /** What a decision would do, or why it is refused. */
    preview: async (id: string, body: object, by = anna) => {
      const wanted = { merchantId: shop.merchantId, id, note: 'seen', ...body }
      const { body: answer } = await by.call('POST', '/disputes/decide', { disputes: [wanted], preview: true })
      return answer.disputes[0]
    },
    /** An operator proposes a correction of a credited payment. */
    correct: (payment: Made, amount: number, by = anna): Promise<Answer> =>
      by.call('POST', `/payments/${payment.merchantId}/${payment.id}/disputes`, { amount, note: 'the bank says so' }),
    inbox: async (): Promise<{ id: string; requisiteId: string }[]> =>
      (await anna.get('/transfers?unmatched=true')).body.transfers.filter((each: { requisiteId: string }) =>
        shop.requisiteIds.includes(each.requisiteId),
      ),
    ledger: (payment: Made): Promise<string[]> => ledgerOf(service, payment),
    entries: (payment: Made) => getEntries(service.context, payment.merchantId, payment.id),
    details: async (orderId: string) => (await shop.get(`/payments/byOrderId/${orderId}`)).body,
  }
}

/** Opens a shop and its operators for tests about disputes. */
export const openCourt = async (service: TestService, wanted: Parameters<typeof openShop>[1] = {}): Promise<Court> =>
  courtOf(service, await openShop(service, wanted))

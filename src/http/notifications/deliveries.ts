import { keptSince } from '../../engine/notifications/deliveries/clean-deliveries.ts'
import { type Delivery, getDelivery, listDeliveries } from '../../engine/notifications/deliveries/read.ts'
import { listChosen, mostEvents, redeliver, redeliverChosen } from '../../engine/notifications/deliveries/redeliver.ts'
import { deliveries } from '../../operations/deliveries.ts'
import { wire } from '../../operations/fields.ts'
import { type PageSpan, readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { bindSides } from './side.ts'

/** A delivery as people see it. */
export const toDeliveryAnswer = <Row extends Delivery>(delivery: Row) => ({
  ...delivery,
  type: delivery.kind,
  nextAttemptAt: delivery.status === 'pending' ? delivery.dueAt : null,
})

export const deliveryRoutes = bindSides(deliveries, {
  deliveries: async (side, request) => {
    const { status = null, paymentId = null, ...query } = request.query
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId }
    const list = async ({ before, limit }: PageSpan) => {
      const span = { before: before === null ? null : BigInt(before), limit }
      const rows = await listDeliveries(side.context, key, { status, paymentId, ...span })
      return rows.map((row) => ({ ...row, id: String(row.position) }))
    }
    return readPage('deliveries', query, list, toDeliveryAnswer)
  },
  delivery: async (side, request) => {
    const { eventId } = request.params
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId, eventId }
    const delivery = await getDelivery(side.context, key)
    const log = delivery.log.map((attempt) => ({ ...attempt, status: attempt.httpStatus }))
    return { ...toDeliveryAnswer(delivery), log }
  },
  redeliver: async (side, request) => {
    const { eventId } = request.params
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId }
    const act = { action: 'endpoint.redeliver', subject: `endpoint:${key.endpointId}`, details: { eventId } }
    await side.act(request, (tx) => redeliver(tx, key, eventId), act)
    return { eventId }
  },
  redeliverSince: async (side, request) => {
    const since = readBody((read) => read.instant(request.body.since, 'since'))
    const key = { merchantId: await side.merchantOf(request), endpointId: request.params.endpointId }
    const failed = { paymentIds: null, kinds: null, since, until: null, delivered: false }
    const positions = await listChosen(side.context, key, failed, keptSince(side.context))
    const events = await side.act(request, (tx) => redeliverChosen(tx, key, positions, false), {
      action: 'endpoint.redeliver-since',
      subject: `endpoint:${key.endpointId}`,
      details: (count) => ({ since: wire.time(since), events: count }),
    })
    return { events, more: positions.length === mostEvents }
  },
})

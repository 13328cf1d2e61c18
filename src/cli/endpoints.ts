import { redelivery } from '../operations/redelivery.ts'
import { deliveries, type DeliveryAnswer } from '../operations/deliveries.ts'
import { endpoints, troubledEndpoints } from '../operations/endpoints.ts'
import { Failure } from './failure.ts'
import { argument, resolved } from './inputs.ts'
import { timeOrAgo } from './named-inputs.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { pickListed, isWholeId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'
import { printTime } from './print-table.ts'

type EndpointKey = { readonly merchantId: string; readonly endpointId: string }

const mostListed = '500'

/** The id of an event that was sent to an endpoint, named by its order, a part of its id, or `last`. */
const findEvent = async (session: Session, { merchantId, endpointId }: EndpointKey, typed: string): Promise<string> => {
  const listOf = async (paymentId?: string): Promise<DeliveryAnswer[]> => {
    const asked = { merchantId, endpointId, paymentId, limit: mostListed }
    return (await session.call<{ deliveries: DeliveryAnswer[] }>(deliveries.deliveries.request, asked)).body.deliveries
  }
  const pick = (listed: readonly DeliveryAnswer[]): string =>
    pickListed(
      listed.map(({ eventId, type, orderId, status, queuedAt }) => ({
        id: eventId,
        names: orderId === undefined ? [] : [orderId, `${orderId} ${type}`],
        about: [orderId, type, status, printTime(queuedAt)].filter(Boolean).join(', '),
      })),
      typed,
      { kind: 'event', shownBy: 'payin endpoints deliveries <endpoint>' },
    )
  if (isWholeId(typed)) return typed.toLowerCase()
  try {
    return pick(await listOf())
  } catch (error) {
    if (!(error instanceof Failure) || error.problem.code !== 'resource_not_found') throw error
    const payment = await resolveName(session, 'payment', typed, { merchantId }).catch(() => undefined)
    if (payment === undefined) throw error
    return pick(await listOf(payment.id))
  }
}

const eventId = resolved(
  argument('<event>', 'order, if it has only one event; `<order> <kind>`; id; or last'),
  (session, typed, before) => findEvent(session, before as EndpointKey, typed),
)

const own = {
  delivery: commandOf(deliveries.delivery, { inputs: { eventId } }),
  redeliver: commandOf(deliveries.redeliver, { inputs: { eventId } }),
  'redeliver-events': commandOf(redelivery['redeliver-events'], {
    inputs: {
      since: timeOrAgo('--since <time>', 'only those since then'),
      until: timeOrAgo('--until <time>', 'only those before'),
    },
  }),
}

const operations = { ...endpoints.operations, ...deliveries, ...troubledEndpoints }

export const endpointCommands = nounCommands({ ...endpoints, operations }, own)

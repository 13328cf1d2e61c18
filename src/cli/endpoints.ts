import { redelivery } from '../operations/redelivery.ts'
import { deliveries, type DeliveryAnswer, DeliveryLog } from '../operations/deliveries.ts'
import { endpoints, troubledEndpoints } from '../operations/endpoints.ts'
import { command } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, option } from './inputs.ts'
import { timeOrAgo, endpointKey } from './named-inputs.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { timeOrSpan } from './read-arguments.ts'
import { pickListed, isWholeId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'
import { printRow } from './show-rows.ts'
import { printTime } from './print-table.ts'

type EndpointKey = { readonly merchantId: string; readonly id: string }

const mostListed = '500'

/** The id of an event that was sent to an endpoint, named by its order, a part of its id, or `last`. */
const findEvent = async (session: Session, key: EndpointKey, typed: string): Promise<string> => {
  const listOf = async (paymentId?: string): Promise<DeliveryAnswer[]> => {
    const path = 'GET /merchants/{merchantId}/endpoints/{id}/deliveries'
    const asked = { ...key, paymentId, limit: mostListed }
    return (await session.call<{ deliveries: DeliveryAnswer[] }>(path, asked)).body.deliveries
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
    const payment = await resolveName(session, 'payment', typed, key).catch(() => undefined)
    if (payment === undefined) throw error
    return pick(await listOf(payment.id))
  }
}

const eventText = 'order, if it has only one event; `<order> <kind>`; id; or last'

const own = {
  delivery: command({
    description: 'Show the body of a delivery and its attempts.',
    inputs: { ...endpointKey, event: argument('<event>', eventText) },
    run: async (session, { event, ...key }) => {
      const eventId = await findEvent(session, key, event)
      const path = 'GET /merchants/{merchantId}/endpoints/{id}/deliveries/{eventId}'
      session.show(await session.call<DeliveryLog>(path, { ...key, eventId }), (said) => printRow(DeliveryLog, said))
    },
  }),
  redeliver: command({
    description: 'Send one event again, or all failed and missed ones since a time.',
    inputs: {
      ...endpointKey,
      event: option('--event <event>', `this event: ${eventText}`),
      since: option(
        '--since <time>',
        'all that failed since then, such as 2026-01-31T00:00:00Z, or within this span until now, such as 1h',
        timeOrSpan,
      ),
    },
    run: async (session, { event, since, ...key }) => {
      if ((event === undefined) === (since === undefined)) throw new Failure(['Give either --event or --since.'], 2)
      if (event !== undefined) {
        const eventId = await findEvent(session, key, event)
        const path = 'POST /merchants/{merchantId}/endpoints/{id}/deliveries/{eventId}/redeliver'
        return session.show(await session.call(path, { ...key, eventId }), () => 'The event is sent again.')
      }
      const from = typeof since === 'number' ? new Date(Date.parse(await session.now()) - since).toISOString() : since
      const path = 'POST /merchants/{merchantId}/endpoints/{id}/redeliver'
      const answer = await session.call<{ events: number; more: boolean }>(path, { ...key, since: from })
      return session.show(
        answer,
        ({ events, more }) => `${events} events are sent again.${more ? ' There are more: run this again.' : ''}`,
      )
    },
  }),
  'redeliver-events': commandOf(redelivery, 'redeliver-events', {
    inputs: {
      since: timeOrAgo('--since <time>', 'only those since then'),
      until: timeOrAgo('--until <time>', 'only those before'),
    },
  }),
}

const operations = { ...endpoints.operations, ...deliveries, ...troubledEndpoints }

export const endpointCommands = nounCommands({ ...endpoints, operations }, own)

import { presented, Type } from '../../operations/schema.ts'
import { listFeed } from '../../engine/notifications/read.ts'
import { FeedCursor } from '../../operations/deliveries.ts'
import { Id, Time } from '../../operations/fields.ts'
import { pageSize } from '../routes/lists.ts'
import { PageQuery } from '../../operations/lists.ts'
import { routesForMerchants } from '../routes/routes.ts'

const Event = Type.Titled('Event', {
  id: { ...Id, description: 'The same as the `webhook-id` of a notification.' },
  type: Type.String({ examples: ['payment.paid'] }),
  timestamp: Time,
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'As in the notification of this type.',
    examples: [
      {
        id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
        orderId: 'order-1001',
        sequence: 3,
        status: 'paid',
        statusReason: 'exact',
        amount: 5000.37,
        currency: 'rub',
      },
    ],
  }),
})

/** The event feed, for merchants that cannot receive notifications. */
export const listEventsRoute = routesForMerchants('notifications').get('/events', 'notifications:read', {
  id: 'listEvents',
  summary: 'Read the event feed',
  description:
    "Every event once, in an order that never changes and has no gaps. To continue, send `cursor` as `after`. A cursor ahead of the feed, such as another merchant's, is refused with 400 `validation_failed`.",
  query: {
    'after?': presented(FeedCursor, '`cursor` of the last response. Default: the beginning.'),
    'limit?': PageQuery['limit?'],
  },
  answer: {
    events: Type.Array(Event),
    cursor: { ...FeedCursor, description: 'Cursor of the last event in this response.' },
  },
  handle: async (context, request) => {
    const { after = '0', limit } = request.query
    const events = await listFeed(context, request.caller.merchantId, BigInt(after), pageSize(limit))
    return {
      events: events.map(({ id, body }) => ({
        id,
        ...(JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> }),
      })),
      cursor: String(events.at(-1)?.position ?? BigInt(after)),
    }
  },
})

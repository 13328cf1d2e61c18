import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { listFeed } from '../../notifications/read.ts'
import type { App } from '../app.ts'
import { Cursor } from '../notifications/deliveries.ts'
import { Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { PageQuery, pageSize } from '../paging.ts'
import { problems } from '../problems.ts'

const Event = Type.Object({
  id: { ...Id, description: 'The same as the `webhook-id` of a notification.' },
  type: Type.String({ examples: ['payment.paid'] }),
  timestamp: Time,
  data: Type.Record(Type.String(), Type.Unknown()),
})

/** `GET /events?after=`: the notifications, for those who cannot receive calls. */
export const registerListEvents = (app: App, context: Context): void => {
  app.get(
    '/events',
    {
      config: { scope: 'notifications:read' },
      schema: {
        tags: ['notifications'],
        summary: 'Read the event feed',
        description:
          'Every event once, in one order that never changes and has no gaps. To read on, send `cursor` as `after`. A cursor ahead of the feed, such as one of another merchant, is refused with 400 `validation_failed`.',
        operationId: 'listEvents',
        security: [{ merchant: [] }],
        querystring: Type.Object(
          {
            after: Type.Optional({ ...Cursor, description: '`cursor` of the last answer. Default: the beginning.' }),
            limit: PageQuery.limit,
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            events: Type.Array(Event),
            cursor: { ...Cursor, description: 'Cursor of the last event in this answer.' },
          }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { after = '0', limit } = request.query
      const rows = await listFeed(context, request.caller.merchantId, BigInt(after), pageSize(limit))
      return {
        events: rows.map(({ id, body }) => ({
          id,
          ...(JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> }),
        })),
        cursor: String(rows.at(-1)?.position ?? after),
      }
    },
  )
}

import { notificationKinds } from '../rules/notices/notification.ts'
import { Id, Time } from './fields.ts'
import { operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const mostPayments = 500

export const RedeliveryBody = Type.Exact({
  'paymentIds?': Type.Array(Id, {
    minItems: 1,
    maxItems: mostPayments,
    description: 'Only events about these payments.',
    of: 'payment',
  }),
  'kinds?': Type.Array(Type.OneOf(notificationKinds), {
    minItems: 1,
    maxItems: 20,
    description: 'Only events of these types.',
  }),
  'since?': presented(Time, 'Only events of this time or later; required without `paymentIds`.'),
  'until?': presented(Time, 'Only events before this time.'),
  'delivered?': Type.Flag('Also events that were delivered; default: only failed and missed ones.'),
  'preview?': Type.Flag('Only count; nothing is sent.'),
})

const Redelivered = Type.Titled('Redelivered', {
  endpointId: Id,
  url: Type.String({ heading: 'Address' }),
  state: Type.OneOf(
    ['done', 'possible', 'refused'],
    '`possible`: only counted. `refused`: nothing is sent, because the endpoint is disabled.',
  ),
  events: Type.Whole('How many are sent, oldest first.'),
  more: Type.Flag('Whether there are more than the 10,000 of one request: then call again.'),
  'message?': presented(Type.Text('Why it was refused.'), { heading: 'Reason' }),
})
export type Redelivered = Static<typeof Redelivered>

/** What was sent, or would be. */
const describeRedelivered = ({ endpoints: to }: { readonly endpoints: readonly Redelivered[] }): string => {
  const sum = to.reduce((total, { events }) => total + events, 0)
  const more = to.some((endpoint) => endpoint.more) ? ' There are more: run this again.' : ''
  const counted = to.some(({ state }) => state === 'possible')
  const none = sum === 0 ? ' Waiting ones are sent anyway; to include delivered ones: --delivered.' : ''
  const said = counted ? `${sum} events would be sent again.` : `${sum} events are sent again.`
  return said + none + more
}

export const redelivery = {
  'redeliver-events': operation('POST /merchants/{merchantId}/redeliver', 'support', {
    id: 'redeliverEvents',
    summary: 'Send events to all endpoints of a merchant again',
    description:
      'Select by payments, by types and a span, or both. Each endpoint gets the events that it receives, including those that it missed while it was disabled, as far back as deliveries are kept; each has its own result and audit entry.',
    body: RedeliveryBody,
    answer: { endpoints: Type.Array(Redelivered, { description: 'Oldest first.' }) },
    command: {
      about:
        'Send failed and missed events to all endpoints of a merchant again: those about payments, or all since a time. Exits with 1 if an endpoint is disabled.',
      columns: ['url', 'state', 'events', 'message', 'endpointId'],
      empty: 'The merchant has no endpoints. Add one: payin endpoints add <merchant> <url>',
      note: describeRedelivered,
      fails: ({ endpoints: to }) => to.some(({ state }) => state === 'refused'),
    },
  }),
}

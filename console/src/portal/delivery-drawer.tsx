import { Link } from '@tanstack/react-router'
import { DeliveryLog } from '../../../src/operations/deliveries.ts'
import { own, ownDelivery } from '../api/portal.ts'
import { FieldFacts } from '../parts/field-facts.tsx'
import { DeliveryContent, SendAgain } from '../parts/delivery-content.tsx'
import type { Details } from '../parts/side-drawer.tsx'
import { useScope } from '../session.ts'

const Content = ({ delivery, endpointId }: { readonly delivery: DeliveryLog; readonly endpointId: string }) => {
  const mayChange = useScope('notifications:write')
  return (
    <>
      {mayChange && <SendAgain path={own(`/endpoints/${endpointId}/deliveries/${delivery.eventId}`)} />}
      <FieldFacts
        of={DeliveryLog}
        value={delivery}
        facts={[
          { field: 'status', name: 'Result' },
          {
            name: 'Payment',
            cell: ({ orderId }) =>
              orderId && (
                <Link to="/portal/payments" search={{ open: orderId }}>
                  {orderId}
                </Link>
              ),
          },
          { field: 'queuedAt', name: 'Queued' },
          { field: 'nextAttemptAt', name: 'Next attempt' },
        ]}
      />
      <DeliveryContent {...delivery} />
    </>
  )
}

/** The delivery of an event to an endpoint: every attempt, the responses, and the body. */
export const deliveryDetails = (endpointId: string): Details<DeliveryLog> => ({
  read: (eventId) => ownDelivery(endpointId, eventId),
  name: 'Delivery',
  title: ({ type }) => type,
  content: (delivery) => <Content delivery={delivery} endpointId={endpointId} />,
})

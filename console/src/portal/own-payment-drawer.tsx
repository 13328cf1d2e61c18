import { Link } from '@tanstack/react-router'
import { closedStatuses, creditedStatuses, openStatuses } from '../../../src/rules/payments/payment.ts'
import type { OwnTimeline } from '../../../src/http/merchant-api/payment-timeline.ts'
import { ownActs, ownPayment } from '../api/portal.ts'
import { formatNumber, formatMoney } from '../money.ts'
import { PaymentEvents } from '../pages/payments/payment-events.tsx'
import { ActButton } from '../parts/act-button.tsx'
import { CopyText } from '../parts/copy-text.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { MetadataFact, PayerFact, PaymentHead, ReceivedFacts } from '../parts/payment-facts.tsx'
import type { Details } from '../parts/side-drawer.tsx'
import { useScope } from '../session.ts'
import { AskForRefund } from './own-refunds.tsx'
import { OpenDispute, OwnDisputeDetails } from './own-dispute.tsx'
import './portal.css'
import { say } from '../language.ts'

const changes = ['payments', 'disputes']

const PaymentFacts = ({ payment }: { readonly payment: OwnTimeline }) => (
  <Facts>
    <ReceivedFacts payment={payment} />
    <Fact name="Worth, before the fee">
      <MoneyText amount={payment.total.amount} currency={payment.total.currency} />
      <span className="quiet small">at {formatNumber(payment.rate.price)}</span>
    </Fact>
    <Fact name="Method">{say(payment.method)}</Fact>
    <PayerFact payment={payment} />
    <MetadataFact payment={payment} />
    {payment.linkId !== undefined && (
      <Fact name="Payment link">
        <Link to="/portal/links" search={{ open: payment.linkId }}>
          From which the payer started it
        </Link>
      </Fact>
    )}
    <Fact name="Created" at={payment.createdAt} />
    <Fact name={openStatuses.has(payment.status) ? 'Expires' : 'Was open until'} at={payment.expiredAt} />
    <Fact name="Acknowledged" at={payment.acknowledgedAt} />
    <Fact name="The payer's page">
      <CopyText text={payment.redirectUrl} />
    </Fact>
    <Fact name="Payment">
      <CopyText text={payment.id} />
    </Fact>
  </Facts>
)

/** What the merchant may do about the payment in its state. */
const Actions = ({ payment }: { readonly payment: OwnTimeline }) => {
  const { orderId, status, currency } = payment
  const mayAcknowledge = creditedStatuses.has(status) && payment.acknowledgedAt === undefined
  const mayCancel = openStatuses.has(status) && payment.receivedAmount === 0
  const mayDispute = closedStatuses.has(status) && !creditedStatuses.has(status)
  const mayRefund = useScope('refunds:write') && creditedStatuses.has(status)
  if (!mayAcknowledge && !mayCancel && !mayDispute && !mayRefund) return null
  return (
    <div className="drawer-actions portal-actions">
      {mayAcknowledge && (
        <ActButton
          text="Acknowledge…"
          title={`Acknowledge ${orderId}?`}
          confirm="Acknowledge the payment"
          run={() => ownActs.acknowledge(orderId, status)}
          changes={changes}
          done={`${orderId} is acknowledged`}
        >
          <p>
            Say that you have seen {formatMoney(payment.finalAmount ?? payment.amount, currency)} and will deliver the
            order. Usually your shop does this automatically.
          </p>
        </ActButton>
      )}
      {mayDispute && <OpenDispute payment={payment} />}
      {mayRefund && <AskForRefund payment={payment} />}
      {mayCancel && (
        <ActButton
          text="Cancel the payment…"
          title={`Cancel ${orderId}?`}
          confirm="Cancel the payment"
          isGrave
          run={() => ownActs.cancel(orderId)}
          changes={changes}
          done={`${orderId} is canceled`}
        >
          <p>The payer can no longer pay {formatMoney(payment.amount, currency)}. This cannot be undone.</p>
        </ActButton>
      )}
    </div>
  )
}

const Deliveries = ({ payment }: { readonly payment: OwnTimeline }) => {
  const failed = payment.deliveries.find(({ status }) => status !== 'delivered')
  if (failed === undefined) return null
  return (
    <p className="small">
      A notification has not arrived.{' '}
      <Link
        to="/portal/notifications/$endpointId"
        params={{ endpointId: failed.endpointId }}
        search={{ open: failed.eventId }}
      >
        See its attempts
      </Link>
    </p>
  )
}

const Content = ({ payment }: { readonly payment: OwnTimeline }) => {
  const mayChange = useScope('payments:write')
  const events = payment.events.map(({ by: actor, ...event }) => ({ ...event, actor }))
  return (
    <>
      <PaymentHead payment={payment} />
      {mayChange && <Actions payment={payment} />}
      {payment.disputes.length > 0 && <OwnDisputeDetails orderId={payment.orderId} mayChange={mayChange} />}
      <PaymentFacts payment={payment} />
      <section>
        <h2>What happened</h2>
        <PaymentEvents payment={{ ...payment, events, transfers: [] }} />
        <Deliveries payment={payment} />
      </section>
    </>
  )
}

/** A payment of the merchant: its amounts and history, and what can be done. */
export const ownPaymentDetails: Details<OwnTimeline> = {
  read: ownPayment,
  name: 'Payment',
  title: ({ orderId }) => orderId,
  content: (payment) => <Content payment={payment} />,
}

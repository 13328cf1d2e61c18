import { Link } from '@tanstack/react-router'
import type { Timeline } from '../../../../src/operations/payments.ts'
import { paymentTimeline } from '../../api/payments.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { MaskedNumber } from '../../parts/masked-number.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { MetadataFact, PayerFact, PaymentHead, ReceivedFacts } from '../../parts/payment-facts.tsx'
import type { Details } from '../../parts/side-drawer.tsx'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { PaymentActions } from './payment-actions.tsx'
import { PaymentEvents } from './payment-events.tsx'
import { PaymentNotes } from './payment-notes.tsx'
import { formatNumber } from '../../money.ts'
import { say } from '../../language.ts'

const PaymentFacts = ({ payment }: { readonly payment: Timeline }) => {
  const { requisite, rate, total } = payment
  return (
    <Facts>
      <ReceivedFacts payment={payment} />
      <Fact name="Worth">
        <MoneyText amount={total.amount} currency={total.currency} />
        <span className="quiet small">
          at {formatNumber(rate.price)}, locked <Moment at={rate.createdAt} show="relative" />
        </span>
      </Fact>
      <Fact name="Account">
        {requisite === undefined ? (
          payment.requisiteId
        ) : (
          <>
            {requisite.label ?? requisite.bankIssuer}
            <span className="quiet small">
              {say(requisite.method)}{' '}
              <MaskedNumber masked={requisite.number} of="the requisite" path={`/requisites/${payment.requisiteId}`} />
            </span>
          </>
        )}
      </Fact>
      <PayerFact payment={payment} path={`/payments/${payment.merchantId}/${payment.id}`} />
      <MetadataFact payment={payment} />
      {payment.linkId !== undefined && (
        <Fact name="Payment link">
          <Link
            to="/merchants/$merchantId"
            params={{ merchantId: payment.merchantId }}
            search={{ tab: 'links', open: payment.linkId }}
          >
            From which the payer started it
          </Link>
        </Fact>
      )}
      <Fact name="Created" at={payment.createdAt} />
      <Fact name="Expires" at={payment.expiredAt} />
      <Fact name="Acknowledged" at={payment.acknowledgedAt} />
      <Fact name="Payment">
        <CopyText text={payment.id} />
      </Fact>
    </Facts>
  )
}

const Content = ({ payment }: { readonly payment: Timeline }) => (
  <>
    <PaymentHead payment={payment} />
    <PaymentActions payment={payment} />
    <PaymentFacts payment={payment} />
    <section>
      <h2>What happened</h2>
      <PaymentEvents payment={payment} />
    </section>
    <section>
      <h2>Ledger</h2>
      <LedgerEntries
        entries={payment.entries}
        names={{
          [payment.merchantId]: payment.merchantName,
          [payment.requisiteId]: payment.requisite?.label ?? payment.requisite?.number,
        }}
        empty="No money has moved for it."
      />
    </section>
    <section>
      <h2>Notes</h2>
      <PaymentNotes payment={payment} />
    </section>
  </>
)

/** A payment at the side of the list: its amounts, its history and entries, and what can be done. */
export const paymentDetails: Details<Timeline> = {
  read: paymentTimeline,
  name: 'Payment',
  title: ({ orderId, merchantName = '' }) => `${orderId} · ${merchantName}`,
  content: (payment) => <Content payment={payment} />,
}

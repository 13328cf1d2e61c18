import { Drawer, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Timeline } from '../../../../src/http/operator-api/payments.ts'
import { paymentTimeline } from '../../api/payments.ts'
import { useLive } from '../../live.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { PaymentBadge } from '../../parts/status-badge.tsx'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { PaymentActions } from './payment-actions.tsx'
import { PaymentEvents } from './payment-events.tsx'
import { PaymentNotes } from './payment-notes.tsx'

const Fact = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Facts = ({ payment }: { readonly payment: Timeline }) => {
  const { currency, requisite, rate, total } = payment
  return (
    <dl className="facts">
      <Fact name="Received">
        <MoneyText amount={payment.receivedAmount} currency={currency} />
      </Fact>
      {payment.finalAmount !== undefined && (
        <Fact name="Credited">
          <MoneyText amount={payment.finalAmount} currency={currency} />
        </Fact>
      )}
      <Fact name="Worth">
        <MoneyText amount={total.amount} currency={total.currency} />
        <span className="quiet small">
          at {String(rate.price)}, locked <Moment at={rate.createdAt} show="relative" />
        </span>
      </Fact>
      <Fact name="Account">
        {requisite === undefined ? (
          payment.requisiteId
        ) : (
          <>
            {requisite.label ?? requisite.bankIssuer}
            <span className="quiet small">
              {requisite.method} {requisite.number}
            </span>
          </>
        )}
      </Fact>
      <Fact name="Payer">
        {payment.sourcePan || <span className="quiet">not known yet</span>}
        <span className="quiet small">user {payment.userId}</span>
      </Fact>
      <Fact name="Created">
        <Moment at={payment.createdAt} />
      </Fact>
      <Fact name="Expires">
        <Moment at={payment.expiredAt} />
      </Fact>
      <Fact name="Acknowledged">
        <Moment at={payment.acknowledgedAt} />
      </Fact>
      <Fact name="Payment">
        <CopyText text={payment.id} />
      </Fact>
    </dl>
  )
}

const Content = ({ payment }: { readonly payment: Timeline }) => (
  <>
    <div className="drawer-amount">
      <MoneyText amount={payment.amount} currency={payment.currency} bold />
      <PaymentBadge status={payment.status} />
      <span className="quiet">{payment.statusReason}</span>
    </div>
    <PaymentActions payment={payment} />
    <Facts payment={payment} />
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

/** A payment at the side of the list: its amounts, everything that happened to it, its entries, and what can be done. */
export const PaymentDrawer = ({ of, onClose }: { readonly of: string | undefined; readonly onClose: () => void }) => {
  const { refetchInterval } = useLive()
  const { data, error, refetch } = useQuery({
    ...paymentTimeline(of ?? ''),
    enabled: of !== undefined,
    refetchInterval,
  })
  return (
    <Drawer
      opened={of !== undefined}
      onClose={onClose}
      position="right"
      size={560}
      title={data === undefined ? 'Payment' : `${data.orderId} · ${data.merchantName ?? ''}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      overlayProps={{ backgroundOpacity: 0.18 }}
      classNames={{ body: 'drawer', title: 'strong' }}
    >
      {data !== undefined && <Content payment={data} />}
      {data === undefined && error === null && <Skeleton height={240} aria-label="Loading" />}
      {data === undefined && error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
    </Drawer>
  )
}

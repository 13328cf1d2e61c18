import type { Timeline } from '../../../../src/operations/payments.ts'
import { type Overpayment, overpayments } from '../../../../src/operations/overpayments.ts'
import { paymentTimeline } from '../../api/payments.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { MaskedNumber } from '../../parts/masked-number.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PaymentLink } from '../../parts/payment-link.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { OverpaymentAct } from './overpayment-acts.tsx'
import { say } from '../../language.ts'

const keyOf = ({ merchantId, paymentId }: Overpayment): string => `${merchantId}/${paymentId}`

const { list } = overpayments.operations

const columns = columnsOf<Overpayment>(list, [
  { field: 'orderId', isStrong: true, second: 'merchantName' },
  { field: 'amount', name: 'Owed to the payer', rank: 0 },
  { field: 'senderName', name: 'Payer', second: 'sender', rank: 2 },
  { field: 'bookedAt', name: 'Came', rank: 1 },
  { field: 'outcome', rank: 3 },
])

const Content = ({ payment, overpayment }: { payment: Timeline; overpayment: Overpayment | undefined }) => {
  const mayDecide = useMay('account')
  const { currency } = payment
  return (
    <>
      {overpayment === undefined ? (
        <p className="quiet">Nothing is owed for this payment any more.</p>
      ) : (
        <div className="drawer-amount">
          <MoneyText amount={overpayment.amount} currency={currency} bold />
          <span className="quiet">is the payer’s</span>
        </div>
      )}
      {mayDecide && overpayment !== undefined && (
        <div className="acts">
          {(['refund', 'assign', 'write-off'] as const).map((decision) => (
            <OverpaymentAct
              key={decision}
              overpayment={overpayment}
              decision={decision}
              requisiteId={payment.requisiteId}
            />
          ))}
        </div>
      )}
      <Facts>
        <Fact name="Payment">
          <PaymentLink {...payment} paymentId={payment.id} />
        </Fact>
        <Fact name="Asked for">
          <MoneyText amount={payment.amount} currency={currency} />
        </Fact>
        <Fact name="Credited">
          <MoneyText amount={payment.finalAmount} currency={currency} />
        </Fact>
      </Facts>
      <section>
        <h2>Money that came</h2>
        <ul className="plain-rows">
          {payment.transfers.map(({ requisiteId, id, kind, amount, bookedAt, sender, bankReference }) => (
            <li key={`${id} ${kind}`}>
              <Moment at={bookedAt} />
              <span className="quiet">
                {say(kind)}
                {sender !== undefined && (
                  <>
                    {' '}
                    · from <MaskedNumber masked={sender} of="the sender" path={`/transfers/${requisiteId}/${id}`} />
                  </>
                )}
                {bankReference !== undefined && <> · {bankReference}</>}
              </span>
              <MoneyText amount={amount} currency={currency} />
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** Overpayments: money that is owed to payers until an operator decides. */
export const Overpayments = () => {
  return (
    <ListPage<Overpayment, Timeline>
      title="Overpayments"
      list={list}
      columns={columns}
      keyOf={keyOf}
      filters={['mode', 'merchantId']}
      empty={
        <EmptyState title="No payer is owed money">
          A payer who pays twice, or too much, is owed the rest. It waits here until you record that it went back,
          credit it to the merchant, or keep it.
        </EmptyState>
      }
      details={{
        read: paymentTimeline,
        name: 'Overpayment',
        title: ({ orderId, merchantName = '' }) => `${orderId} · ${merchantName}`,
        content: (payment, overpayment) => <Content payment={payment} overpayment={overpayment} />,
      }}
    />
  )
}

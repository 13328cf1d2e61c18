import { queryOptions } from '@tanstack/react-query'
import {
  type OperatorRefundWithEvents,
  RefundAnswer,
  RefundStatus,
  refunds,
} from '../../../../src/operations/refunds.ts'
import { api } from '../../api/client.ts'
import { say } from '../../language.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { personName } from '../../parts/field-values.tsx'
import { Happenings } from '../../parts/happenings.tsx'
import { MaskedNumber } from '../../parts/masked-number.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PaymentLink } from '../../parts/payment-link.tsx'
import type { Details } from '../../parts/side-drawer.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { RefundActions } from './refund-actions.tsx'

const { list } = refunds.operations

const keyOf = ({ merchantId, id }: RefundAnswer): string => `${merchantId}/${id}`

const columns = columnsOf<RefundAnswer>(list, [
  { field: 'orderId', isStrong: true, second: 'merchantName' },
  { field: 'amount', rank: 0, whenNarrow: 'status' },
  'status',
  { field: 'reference', second: 'reason' },
  { field: 'createdAt', name: 'Asked', second: 'requestedBy' },
  'approvedBy',
])

const payToFact = {
  name: 'Goes to',
  cell: ({ merchantId, id, payTo }: RefundAnswer) => (
    <MaskedNumber masked={payTo ?? say('the account that paid')} of="the payer" path={`/refunds/${merchantId}/${id}`} />
  ),
}

const Content = ({ refund }: { readonly refund: OperatorRefundWithEvents }) => (
  <>
    <div className="drawer-amount">
      <MoneyText amount={refund.amount} currency={refund.currency} bold />
      <StatusBadge of={RefundStatus} word={refund.status} />
    </div>
    <RefundActions refund={refund} />
    <FieldFacts
      of={RefundAnswer}
      value={refund}
      facts={[
        {
          name: 'Payment',
          cell: ({ merchantId, paymentId, orderId }: RefundAnswer) => (
            <PaymentLink {...{ merchantId, paymentId, orderId }} />
          ),
        },
        payToFact,
        { field: 'failure', name: 'Why it ended' },
        'reason',
        'reference',
        { field: 'merchantId', name: 'Merchant' },
        { field: 'id', name: 'Refund' },
      ]}
    />
    <section>
      <h2>What happened</h2>
      <Happenings
        of={refund.events.map(({ sequence, status, actor, at }) => ({
          ...{ key: sequence, at },
          what: (
            <>
              <StatusBadge of={RefundStatus} word={status} /> <span className="quiet small">{personName(actor)}</span>
            </>
          ),
        }))}
      />
    </section>
  </>
)

const details: Details<OperatorRefundWithEvents> = {
  read: (key) =>
    queryOptions({
      queryKey: ['refunds', 'one', key],
      queryFn: () => api.get<OperatorRefundWithEvents>(`/refunds/${key}`),
    }),
  name: 'Refund',
  title: ({ orderId }) => orderId,
  content: (refund) => <Content refund={refund} />,
}

/** What merchants give back to payers: asked for, approved, sent, and done when the bank reports it. */
export const Refunds = () => (
  <ListPage<RefundAnswer, OperatorRefundWithEvents>
    title="Refunds"
    list={list}
    columns={columns}
    keyOf={keyOf}
    filters={['mode', 'status', 'merchantId']}
    empty={
      <EmptyState title="No refunds yet">
        Merchants ask for refunds of paid payments. You approve them and send them in your bank; they are done once the
        bank has reported them.
      </EmptyState>
    }
    details={details}
  />
)

import type { OperatorPayment } from '../../../src/http/operator-api/payments.ts'
import type { Column } from '../table/data-table.tsx'
import { MoneyText } from './money-text.tsx'
import { PaymentBadge } from './status-badge.tsx'

/** The table width, in pixels, from which amounts and statuses have columns of their own. */
export const wide = 620

/** The amount of a payment, what has come if that is another amount, and the status. */
export const amountColumns: readonly Column<
  Pick<OperatorPayment, 'amount' | 'currency' | 'status' | 'receivedAmount'>
>[] = [
  {
    name: 'Amount',
    width: '130px',
    align: 'end',
    to: wide - 1,
    cell: ({ amount, currency, status }) => (
      <>
        <MoneyText amount={amount} currency={currency} />
        <span className="second">
          <PaymentBadge status={status} />
        </span>
      </>
    ),
  },
  {
    name: 'Amount',
    width: 'minmax(112px, max-content)',
    align: 'end',
    from: wide,
    cell: ({ amount, currency, status, receivedAmount }) => (
      <>
        <MoneyText amount={amount} currency={currency} />
        {receivedAmount !== amount && receivedAmount > 0 && (
          <span className="second" title={`Received, while the payment is ${status}`}>
            got <MoneyText amount={receivedAmount} currency={currency} />
          </span>
        )}
      </>
    ),
  },
  { name: 'Status', width: '104px', from: wide, cell: ({ status }) => <PaymentBadge status={status} /> },
]

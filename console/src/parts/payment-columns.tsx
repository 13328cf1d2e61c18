import type { OperatorPayment } from '../../../src/operations/payments.ts'
import type { Column } from '../table/data-table.tsx'
import { MoneyText } from './money-text.tsx'
import { PaymentBadge } from './status-badge.tsx'

/** The amount of a payment, what has come if that is another amount, and the status. */
export const amountColumns: readonly Column<
  Pick<OperatorPayment, 'amount' | 'currency' | 'status' | 'receivedAmount'>
>[] = [
  {
    name: 'Amount',
    width: 130,
    grows: 'content',
    align: 'end',
    cell: ({ amount, currency, status, receivedAmount }, isShown) => (
      <>
        <MoneyText amount={amount} currency={currency} />
        {!isShown('Status') && (
          <span className="second">
            <PaymentBadge status={status} />
          </span>
        )}
        {isShown('Status') && receivedAmount !== amount && receivedAmount > 0 && (
          <span className="second" title={`Received, while the payment is ${status}`}>
            got <MoneyText amount={receivedAmount} currency={currency} />
          </span>
        )}
      </>
    ),
  },
  { name: 'Status', width: 104, rank: 2, cell: ({ status }) => <PaymentBadge status={status} /> },
]

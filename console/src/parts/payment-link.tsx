import { Link } from '@tanstack/react-router'
import type { PaymentStatus } from '../../../src/rules/payments/payment.ts'
import { PaymentBadge } from './status-badge.tsx'

type Payment = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId?: string | undefined
  readonly status?: PaymentStatus
}

/** Leads to a payment, by its order, and shows its status if that is known. */
export const PaymentLink = ({ merchantId, paymentId, orderId = 'the payment', status }: Payment) => (
  <>
    <Link to="/payments" search={{ open: `${merchantId}/${paymentId}` }}>
      {orderId}
    </Link>
    {status !== undefined && (
      <span>
        <PaymentBadge status={status} />
      </span>
    )}
  </>
)

/** The payment that something is about, as a fact. */
export const paymentFact = { name: 'Payment', cell: (of: Payment) => <PaymentLink {...of} /> }

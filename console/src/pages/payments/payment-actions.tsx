import { openStatuses } from '../../../../src/rules/payments/payment.ts'
import type { Timeline } from '../../../../src/operations/payments.ts'
import { api } from '../../api/client.ts'
import { formatMoney } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useMay } from '../../session.ts'
import { SimulatePayment } from './simulate-payment.tsx'

type Props = { readonly payment: Timeline }

const CancelPayment = ({ payment }: Props) => (
  <ActButton
    text="Cancel the payment…"
    title={`Cancel ${payment.orderId}?`}
    confirm="Cancel the payment"
    run={() => api.post(`/payments/${payment.merchantId}/${payment.id}/cancel`, {})}
    changes={['payments']}
    done={`${payment.orderId} is canceled`}
    isGrave
  >
    <p>
      The payer can no longer pay {formatMoney(payment.amount, payment.currency)}, and the merchant is notified. This
      cannot be undone; the merchant may create another payment.
    </p>
  </ActButton>
)

/** What a person may do about a payment in its state. */
export const PaymentActions = ({ payment }: Props) => {
  const mayCancel = useMay('support')
  const isCancelable = mayCancel && openStatuses.has(payment.status) && payment.receivedAmount === 0
  return (
    <div className="drawer-actions">
      {isCancelable && <CancelPayment payment={payment} />}
      <SimulatePayment payment={payment} />
    </div>
  )
}

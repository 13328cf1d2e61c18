import type { OperatorPayment } from '../../../src/operations/payments.ts'
import type { IsShown } from '../table/data-table.tsx'
import { MoneyText } from './money-text.tsx'
import { PaymentBadge } from './status-badge.tsx'
import { say } from '../language.ts'

type Money = Pick<OperatorPayment, 'amount' | 'currency' | 'status' | 'receivedAmount'>

/** Below the amount: the status if it has no column, or what has come if that is another amount. */
const belowAmount = ({ amount, currency, status, receivedAmount }: Money, isShown: IsShown) => {
  if (!isShown('Status')) return <PaymentBadge status={status} />
  if (receivedAmount === amount || receivedAmount === 0) return undefined
  return (
    <span title={`Received, while the payment is ${say(status)}`}>
      got <MoneyText amount={receivedAmount} currency={currency} />
    </span>
  )
}

/** The amount of a payment and its status, as columns. */
export const amountColumns = [
  { field: 'amount', rank: 0, width: 130, grows: 'content', second: belowAmount },
  { field: 'status', rank: 2 },
] as const

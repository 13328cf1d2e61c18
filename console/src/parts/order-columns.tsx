import type { Column } from '../table/data-table.tsx'
import { MoneyText } from './money-text.tsx'

type Ordered = { readonly orderId: string; readonly merchantName?: string }
type Claimed = {
  readonly amount: number
  readonly paymentAmount: number
  readonly currency: string
}

/** The order and its merchant. */
export const orderColumn: Column<Ordered> = {
  name: 'Order',
  width: 104,
  grows: 1.4,
  cell: ({ orderId, merchantName }) => (
    <>
      <span className="strong">{orderId}</span>
      <span className="second">{merchantName}</span>
    </>
  ),
}

/** The claimed amount, and the payment's amount if it differs. */
export const claimedColumn: Column<Claimed> = {
  name: 'Claimed',
  width: 112,
  grows: 'content',
  align: 'end',
  cell: ({ amount, paymentAmount, currency }) => (
    <>
      <MoneyText amount={amount} currency={currency} />
      {paymentAmount !== amount && (
        <span className="second">
          of <MoneyText amount={paymentAmount} currency={currency} />
        </span>
      )}
    </>
  ),
}

import type { ReactNode } from 'react'
import { MoneyText } from './money-text.tsx'

type Claimed = {
  readonly amount: number
  readonly paymentAmount: number
  readonly currency: string
}

/** The payment's amount, if another one was claimed. */
export const amountIfOther = ({ amount, paymentAmount, currency }: Claimed): ReactNode =>
  paymentAmount === amount ? undefined : (
    <>
      of <MoneyText amount={paymentAmount} currency={currency} />
    </>
  )

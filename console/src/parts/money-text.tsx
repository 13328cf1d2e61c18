import { type Amount, formatAmount } from '../money.ts'

type Props = {
  readonly amount: Amount | undefined
  readonly currency: string
  readonly bold?: boolean
  /** Whether it is one of a column of amounts, which all have the same number of decimals. */
  readonly inColumn?: boolean
}

/** An amount in digits of equal width, with its currency smaller. */
export const MoneyText = ({ amount, currency, bold = false, inColumn = false }: Props) =>
  amount === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <span className={bold ? 'money strong' : 'money'}>
      {formatAmount(amount, currency, inColumn)} <span className="currency">{currency.toUpperCase()}</span>
    </span>
  )

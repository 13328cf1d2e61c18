import { type Amount, formatAmount } from '../money.ts'

type Props = { readonly amount: Amount | undefined; readonly currency: string; readonly bold?: boolean }

/** An amount in digits of equal width, with its currency smaller. */
export const MoneyText = ({ amount, currency, bold = false }: Props) =>
  amount === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <span className={bold ? 'money strong' : 'money'}>
      {formatAmount(amount, currency)} <span className="currency">{currency.toUpperCase()}</span>
    </span>
  )

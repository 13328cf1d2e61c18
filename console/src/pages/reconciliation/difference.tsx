import './reconciliation.css'
import { Icon } from '../../parts/icon.tsx'
import { MoneyText } from '../../parts/money-text.tsx'

type Props = { readonly amount: number; readonly currency: string; readonly large?: boolean }

/** How much more a bank has than the ledger: green at zero. */
export const Difference = ({ amount, currency, large = false }: Props) => (
  <span className={`bank-difference ${amount === 0 ? 'even' : 'odd'}${large ? ' large' : ''}`}>
    {amount === 0 && <Icon name="check" size={large ? 20 : 14} />}
    {amount > 0 && '+'}
    <MoneyText amount={amount} currency={currency} bold />
    {large && (
      <span className="small">{amount === 0 ? 'even' : amount > 0 ? 'more at the bank' : 'more in the ledger'}</span>
    )}
  </span>
)

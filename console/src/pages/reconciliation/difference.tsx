import './reconciliation.css'
import { isEven } from '../../../../src/rules/money/ledger.ts'
import { Icon } from '../../parts/icon.tsx'
import { MoneyText } from '../../parts/money-text.tsx'

type Props = {
  readonly amount: number
  readonly inTransit: number
  readonly currency: string
  readonly large?: boolean
}

const inWords = (amount: number): string => {
  if (amount === 0) return 'even'
  return amount > 0 ? 'more at the bank' : 'more in the ledger'
}

/** How much more a bank has than the ledger: green at zero, and if it is just what is in transit. */
export const Difference = ({ amount, inTransit, currency, large = false }: Props) => (
  <span className={`bank-difference ${isEven(amount, inTransit) ? 'even' : 'odd'}${large ? ' large' : ''}`}>
    {isEven(amount, inTransit) && <Icon name="check" size={large ? 20 : 14} />}
    {amount > 0 && '+'}
    <MoneyText amount={amount} currency={currency} bold />
    {large && (
      <span className="small">
        {isEven(amount, inTransit) && amount !== 0 ? 'in transit, otherwise even' : inWords(amount)}
      </span>
    )}
  </span>
)

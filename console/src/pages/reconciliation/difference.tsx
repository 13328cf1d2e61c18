import './reconciliation.css'
import { Icon } from '../../parts/icon.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { say } from '../../language.ts'

type Props = {
  readonly amount: number
  readonly even: boolean
  readonly currency: string
  readonly large?: boolean
}

const inWords = (amount: number, even: boolean): string => {
  if (amount === 0) return even ? say('even') : 'but refunds or reversals have not left'
  if (even) return 'in transit, otherwise even'
  return amount > 0 ? 'more at the bank' : 'more in the ledger'
}

/** How much more a bank has than the ledger: green if that is explained. */
export const Difference = ({ amount, even, currency, large = false }: Props) => (
  <span className={`bank-difference ${even ? say('even') : 'odd'}${large ? ' large' : ''}`}>
    {even && <Icon name="check" size={large ? 20 : 14} />}
    {amount > 0 && '+'}
    <MoneyText amount={amount} currency={currency} bold />
    {large && <span className="small">{inWords(amount, even)}</span>}
  </span>
)

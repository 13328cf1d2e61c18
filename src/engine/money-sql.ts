import { priceDecimals } from '../rules/money/rate.ts'
import { otherDecimals } from '../rules/values/currency.ts'

/** SQL for the number of decimals of a currency. */
export const decimalsOf = (currency: string): string => {
  const others = [...otherDecimals].map(([code, decimals]) => `when '${code}' then ${decimals}`)
  return `(case ${currency} ${others.join(' ')} else 2 end)`
}

/** SQL for the minor units of its quote currency that one minor unit of a payment is worth, scaled like a price. */
export const scaleOfPayment = `10::numeric ^ (${priceDecimals} + ${decimalsOf('payments.quote_currency')} - ${decimalsOf('payments.currency')})`

/** SQL for postings by which a bank took credited money back; what was not credited leaves other accounts. */
export const takesCreditBack = `kind = 'return' and (credit_account like 'bank:%' or credit_account like 'reversed:%')
  and (debit_account like 'fx:%' or debit_account like 'merchant:%' or debit_account = 'fees')`

// ISO 4217: most currencies have two decimals; these are the others.
const noDecimals = new Set('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'.split(' '))
const threeDecimals = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '))

/** Number of decimals of a fiat currency (ISO 4217 minor unit), by its lower-case code. */
export const currencyDecimals = (currency: string): number => {
  if (noDecimals.has(currency)) return 0
  return threeDecimals.has(currency) ? 3 : 2
}

/** The currency in which merchants are credited (docs/contract.md §2.3). */
export const quoteCurrency = 'USDT'
/** Decimals of the quote currency (`total.amount` in docs/domain.md §3.7). */
export const quoteDecimals = 6

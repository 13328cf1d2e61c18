import { currencyDecimals } from '../domain/currency.ts'
import { formatDecimal, parseDecimal } from '../domain/decimal.ts'
import type { StatementBalance } from '../domain/statement.ts'

/** Sums of an account's rows since its last balance, in minor units. */
export type AccountSums = { credits: bigint; debits: bigint }

const minorOf = (text: string | null, currency: string): bigint | null => {
  const value = text === null ? null : parseDecimal(text, currencyDecimals(currency))
  return typeof value === 'bigint' ? value : null
}

/** What a balance says in minor units, and why the rows do not lead to it; the reason is `null` when they do. */
export const checkBalances = (
  balance: StatementBalance,
  sums: AccountSums,
  currency: string,
): { readonly opening: bigint | null; readonly closing: bigint | null; readonly reason: string | null } => {
  const show = (minor: bigint): string => formatDecimal(minor, currencyDecimals(currency))
  const [opening, closing] = [minorOf(balance.opening, currency), minorOf(balance.closing, currency)]
  const told = [
    ['credits', minorOf(balance.credits, currency), sums.credits],
    ['debits', minorOf(balance.debits, currency), sums.debits],
  ] as const
  for (const [word, sum, counted] of told) {
    if (sum !== null && sum !== counted) {
      const reason = `The file says that its ${word} add up to ${show(sum)}, but its rows add up to ${show(counted)}.`
      return { opening, closing, reason }
    }
  }
  if (opening === null || closing === null) return { opening, closing, reason: null }
  const due = opening + sums.credits - sums.debits
  if (due === closing) return { opening, closing, reason: null }
  const way = `${show(opening)} + ${show(sums.credits)} − ${show(sums.debits)} = ${show(due)}`
  return {
    opening,
    closing,
    reason: `The balances do not add up: opening + credits − debits is ${way}, but the closing balance is ${show(closing)}.`,
  }
}

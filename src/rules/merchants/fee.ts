import { currencyDecimals } from '../values/currency.ts'

/**
 * The operator's share of a credit: a percentage plus a fixed amount, between a smallest and a largest fee. Amounts are
 * in millionths of the quote currency.
 */
export type FeePlan = {
  /** Percentage, in millionths of the credited amount. */
  readonly feePpm: number
  /** Added to the percentage of every credit. */
  readonly feeFixedMicro: bigint
  /** The fee is at least this, but never more than the credit. */
  readonly feeMinMicro: bigint
  /** The fee is at most this; `noFeeCap` for no limit. */
  readonly feeMaxMicro: bigint
}

/** A plan in the terms of a payment; payments older than fee plans have only the percentage. */
export type LockedFeePlan = Pick<FeePlan, 'feePpm'> & Partial<Omit<FeePlan, 'feePpm'>>

/** `feeMaxMicro` of a plan without an upper bound. */
export const noFeeCap = 999_999_999_999_999n

const parts = 1_000_000n

/**
 * Splits a gross amount between merchant and operator, each in whole minor units of the quote currency: the fee is
 * rounded down, and the merchant gets the rest, so that nothing is left over. A fee never exceeds the credit.
 */
export const splitCredit = (
  gross: bigint,
  plan: LockedFeePlan,
  quoteCurrency: string,
): { readonly net: bigint; readonly fee: bigint } => {
  const { feeFixedMicro = 0n, feeMinMicro = 0n, feeMaxMicro = noFeeCap } = plan
  const microOfUnit = parts / 10n ** BigInt(currencyDecimals(quoteCurrency))
  const most = feeMaxMicro === noFeeCap ? gross * microOfUnit : feeMaxMicro
  const wanted = (gross * microOfUnit * BigInt(plan.feePpm)) / parts + feeFixedMicro
  const raised = wanted < feeMinMicro ? feeMinMicro : wanted
  const capped = (raised > most ? most : raised) / microOfUnit
  const fee = capped > gross ? gross : capped
  return { net: gross - fee, fee }
}

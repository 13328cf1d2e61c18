/**
 * What the operator takes of a credit: a percentage plus a fixed amount, within a least and a greatest fee. Amounts are in
 * millionths of the quote currency.
 */
export type FeePlan = {
  /** Percent part, in millionths of the credited amount. */
  readonly feePpm: number
  /** Added to the percent part of every credit. */
  readonly feeFixedMicro: bigint
  /** The fee is at least this, though never more than what is credited. */
  readonly feeMinMicro: bigint
  /** The fee is at most this; `noFeeCap` for no bound. */
  readonly feeMaxMicro: bigint
}

/** A plan in the terms of a payment; payments that are older than fee plans have the percent part only. */
export type LockedFeePlan = Pick<FeePlan, 'feePpm'> & Partial<Omit<FeePlan, 'feePpm'>>

/** `feeMaxMicro` of a plan without an upper bound. */
export const noFeeCap = 999_999_999_999_999n

const parts = 1_000_000n

/**
 * Splits a gross amount between merchant and operator, each a whole number of quote units: the fee is rounded down to whole units, and the merchant gets all
 * the rest, so that a split leaves nothing over. A fee is never more than the credit.
 */
export const splitCredit = (gross: bigint, plan: LockedFeePlan): { readonly net: bigint; readonly fee: bigint } => {
  const { feeFixedMicro = 0n, feeMinMicro = 0n, feeMaxMicro = noFeeCap } = plan
  const wanted = (gross * BigInt(plan.feePpm)) / parts + feeFixedMicro
  const raised = wanted < feeMinMicro ? feeMinMicro : wanted
  const capped = raised > feeMaxMicro ? feeMaxMicro : raised
  const fee = capped > gross ? gross : capped
  return { net: gross - fee, fee }
}

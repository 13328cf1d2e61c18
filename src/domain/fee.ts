/**
 * What the operator takes of a credit: percent and a fixed sum, at least one amount and at most another. Amounts are in
 * millionths of the quote currency.
 */
export type FeePlan = {
  /** Percent part, in millionths of the credited amount. */
  readonly feePpm: number
  /** Added to the percent part of every credit. */
  readonly feeFixedMicro: number
  /** The fee is at least this, though never more than what is credited. */
  readonly feeMinMicro: number
  /** The fee is at most this; `noFeeCap` stands for no bound. */
  readonly feeMaxMicro: number
}

/** A plan as it stands in the terms of a payment; payments from before there were plans know the percent part only. */
export type LockedFeePlan = Pick<FeePlan, 'feePpm'> & { readonly [K in Exclude<keyof FeePlan, 'feePpm'>]?: number }

/** `feeMaxMicro` of a plan without an upper bound. */
export const noFeeCap = 999_999_999_999_999

/** A credit in two shares that add up to the gross amount, each a whole number of quote units. */
export type CreditShares = { readonly net: bigint; readonly fee: bigint }

const parts = 1_000_000n

/**
 * Splits a gross amount between merchant and operator: the fee is rounded down to whole units, and the merchant gets all
 * the rest, so that a split leaves nothing over. A fee is never more than the credit.
 */
export const splitCredit = (gross: bigint, plan: LockedFeePlan): CreditShares => {
  const { feeFixedMicro = 0, feeMinMicro = 0, feeMaxMicro = noFeeCap } = plan
  const wanted = (gross * BigInt(plan.feePpm) + BigInt(feeFixedMicro) * parts) / parts
  const raised = wanted < BigInt(feeMinMicro) ? BigInt(feeMinMicro) : wanted
  const capped = raised > BigInt(feeMaxMicro) ? BigInt(feeMaxMicro) : raised
  const fee = capped > gross ? gross : capped
  return { net: gross - fee, fee }
}

import type { Queryable } from 'payin-database'
import { currencyDecimals, toJsonNumber } from '../../rules/values/currency.ts'
import type { CurrencyLimits } from '../../rules/merchants/merchant.ts'
import { methodRules, paymentMethods } from '../../rules/values/payment-method.ts'
import type { RequisiteWish } from '../../rules/requisites/requisite.ts'
import type { Instant } from '../../rules/time.ts'
import { previewAllocation } from '../requisites/start-allocation.ts'
import type { RequisitePool } from '../requisites/requisite-pool.ts'

/** A change to the request with which a payment would have found a requisite. */
type Alternative = { readonly field: 'method' | 'bankIssuer' | 'amount'; readonly value: string | number }

/**
 * The nearest requests that would find a free requisite, one per field: another method, any other bank, and the nearest
 * amount within five whole units. Only a suggestion: it may be taken by the time of the next request.
 */
export const suggestAlternatives = async (
  sql: Queryable,
  pool: RequisitePool,
  wish: RequisiteWish,
  limits: CurrencyLimits | undefined,
  now: Instant,
): Promise<Alternative[]> => {
  const unit = 10n ** BigInt(currencyDecimals(wish.currency))
  const near = [1n, -1n, 2n, -2n, 3n, -3n, 4n, -4n, 5n, -5n].map((step) => wish.amount + step * unit)
  const tries: { wish: RequisiteWish; alternative: (chosenBank: string) => Alternative }[] = [
    ...(wish.bankIssuer === null
      ? []
      : [
          {
            wish: { ...wish, bankIssuer: null },
            alternative: (bank: string): Alternative => ({ field: 'bankIssuer', value: bank }),
          },
        ]),
    ...paymentMethods
      .filter((method) => method !== wish.method && methodRules[method].transferScope === wish.transferScope)
      .map((method) => ({
        wish: { ...wish, method },
        alternative: (): Alternative => ({ field: 'method', value: method }),
      })),
    ...near
      .filter((amount) => limits && amount >= limits.min && amount <= limits.max)
      .map((amount) => ({
        wish: { ...wish, amount },
        alternative: (): Alternative => ({
          field: 'amount',
          value: toJsonNumber(amount, currencyDecimals(wish.currency)),
        }),
      })),
  ]
  const wishes = tries.map((each) => each.wish)
  const allocator = await previewAllocation(sql, pool, wishes, now)
  await allocator.learnTaken(sql, wishes)
  const found: Alternative[] = []
  for (const each of tries) {
    const chosen = allocator.allocate(each.wish)?.requisite
    const alternative = chosen && each.alternative(chosen.bankIssuer)
    if (alternative && !found.some((other) => other.field === alternative.field)) found.push(alternative)
  }
  return found
}

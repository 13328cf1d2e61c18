// The books that the simulated year keeps of its own: double entry by the names of docs/domain.md §8.1, written down from what
// happened in the world, with arithmetic of its own. Nothing in them is read from the service, so that a sum which
// both have is right.

/** What the operator takes of a credit, as in the terms of a merchant. */
export type YearPlan = {
  readonly feePpm: number
  readonly feeFixedMicro: bigint
  readonly feeMinMicro: bigint
  readonly feeMaxMicro: bigint
}

/** A payment as its merchant and its payer know it; amounts in kopecks. */
export type YearPayment = {
  readonly merchantId: string
  readonly id: string
  readonly orderId: string
  readonly createdAt: number
  readonly requisiteId: string
  /** What one USDT cost in units of 10⁻⁸ rub when it was created. */
  readonly price: bigint
  readonly plan: YearPlan
  readonly asked: bigint
  /** What its merchant has been credited with, and not lost again. */
  credited: bigint
  /** What its payer is owed. */
  owed: bigint
  status: 'expired' | 'paid' | 'disput-paid'
  /** What its merchant gives the user instead of what was asked. */
  final: bigint | null
}

/** An amount in kopecks at a price, in millionths of a USDT: rounded down, and the fee of it. */
const worthOf = (minor: bigint, { price, plan }: YearPayment): { net: bigint; fee: bigint } => {
  const gross = (minor * 10n ** 12n) / price
  let fee = (gross * BigInt(plan.feePpm)) / 1_000_000n + plan.feeFixedMicro
  if (fee < plan.feeMinMicro) fee = plan.feeMinMicro
  if (fee > plan.feeMaxMicro) fee = plan.feeMaxMicro
  if (fee > gross) fee = gross
  return { net: gross - fee, fee }
}

/** Opens empty books. */
export const openYearBooks = () => {
  const balances = new Map<string, bigint>()
  const add = (name: string, change: bigint): unknown => balances.set(name, (balances.get(name) ?? 0n) + change)

  /** Money goes from `credit` to `debit`. */
  const post = (debit: string, credit: string, amount: bigint, currency: 'rub' | 'USDT' = 'rub'): void => {
    add(`${debit} ${currency}`, amount)
    add(`${credit} ${currency}`, -amount)
  }

  const give = (payment: YearPayment, from: bigint, to: bigint): void => {
    const [before, after] = [worthOf(from, payment), worthOf(to, payment)]
    post('fx:rub', `merchant:${payment.merchantId}:available`, after.net - before.net, 'USDT')
    post('fx:rub', 'fees', after.fee - before.fee, 'USDT')
  }

  return {
    post,
    balanceOf: (name: string, currency: 'rub' | 'USDT'): bigint => balances.get(`${name} ${currency}`) ?? 0n,
    /** Money that an account has for a payment is what the merchant is credited with; below zero: the bank took it back. */
    credit: (payment: YearPayment, source: string, minor: bigint): void => {
      post(source, 'fx:rub', minor)
      give(payment, payment.credited, payment.credited + minor)
      payment.credited += minor
    },
    /** What a payer was owed is credited to the merchant as a credit of its own. */
    assign: (payment: YearPayment): void => {
      post(`overpayment:${payment.id}`, 'fx:rub', payment.owed)
      give(payment, 0n, payment.owed)
      payment.owed = 0n
    },
    /** All accounts that hold anything, with debits less credits. */
    list: (): string[] =>
      [...balances]
        .filter(([, balance]) => balance !== 0n)
        .map(([name, balance]) => `${name} ${balance}`)
        .toSorted(),
  }
}

/** Books of a simulated year. */
export type YearBooks = ReturnType<typeof openYearBooks>

// The books of the simulated year: double entry with the account names of docs/domain.md §8.1, written from what
// happened in the world, with separate arithmetic. Nothing in them is read from the service, so a sum on which both
// agree is right.

/** The operator's fee on a credit, as in a merchant's terms. */
export type YearPlan = {
  readonly feePpm: number
  readonly feeFixedMicro: bigint
  readonly feeMinMicro: bigint
  readonly feeMaxMicro: bigint
}

/** A payment as its merchant and its payer know it; amounts in minor units of rub. */
export type YearPayment = {
  readonly merchantId: string
  readonly id: string
  readonly orderId: string
  readonly requisiteId: string
  /** The price of one USDT at its creation or, if its money came late and that was worse, then; in units of 10⁻⁸ rub. */
  price: bigint
  readonly plan: YearPlan
  readonly asked: bigint
  /** What its merchant was credited with and did not lose again. */
  credited: bigint
  /** What is owed to its payer. */
  owed: bigint
  /** What was owed and then assigned to its merchant, and the price of that. */
  assigned: { readonly minor: bigint; readonly price: bigint } | null
  status: 'expired' | 'paid' | 'disput-paid'
  /** What its merchant credits to the user instead of the requested amount. */
  final: bigint | null
}

/** The value of an amount in minor units, in millionths of a USDT: rounded down and split into net and fee. */
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
    /** Credits the merchant with a payment's money from an account; a negative amount was taken back by the bank. */
    credit: (payment: YearPayment, source: string, minor: bigint): void => {
      post(source, 'fx:rub', minor)
      give(payment, payment.credited, payment.credited + minor)
      payment.credited += minor
    },
    /** Credits money that was owed to a payer to the merchant, as a separate credit at the worse price. */
    assign: (payment: YearPayment, price: bigint): void => {
      post(`overpayment:${payment.id}`, 'fx:rub', payment.owed)
      payment.assigned = { minor: payment.owed, price: price > payment.price ? price : payment.price }
      give({ ...payment, ...payment.assigned }, 0n, payment.owed)
      payment.owed = 0n
    },
    /** Takes an assigned amount, which the bank has taken back from an account, from its merchant again. */
    takeAssigned: (payment: YearPayment, from: string): void => {
      if (!payment.assigned) throw new Error(`nothing of ${payment.orderId} was assigned`)
      const { minor, price } = payment.assigned
      post('fx:rub', from, minor)
      give({ ...payment, price }, minor, 0n)
      payment.assigned = null
    },
    /** All accounts that are not zero, with debits less credits. */
    list: (): string[] =>
      [...balances]
        .filter(([, balance]) => balance !== 0n)
        .map(([name, balance]) => `${name} ${balance}`)
        .toSorted(),
  }
}

export type YearBooks = ReturnType<typeof openYearBooks>

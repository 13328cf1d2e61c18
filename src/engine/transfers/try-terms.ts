import type { Context } from '../context.ts'
import type { Terms } from '../../rules/merchants/merchant.ts'
import { type Payment, requisitesOf } from '../../rules/payments/payment.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'
import { replay } from '../../rules/transfers/replay.ts'
import { day, type Instant } from '../../rules/time.ts'
import { listPastPayments, listPaymentsOf } from '../payments/read.ts'
import { listHolders, listSharing } from '../requisites/read.ts'
import { listPastTransfers } from './store.ts'

/** How a payment ended in a replay; `credited` in minor units. */
export type EndedPayment = Pick<Payment, 'status' | 'statusReason'> & { readonly credited: bigint }

/** What other terms would have changed; `now` is the same replay with the current terms. */
export type TriedTerms = Awaited<ReturnType<typeof tryTerms>>

const maxPlayed = 5000

const endOf = ({ status, statusReason, received, finalAmount }: Payment): EndedPayment => ({
  status,
  statusReason,
  credited: status === 'paid' || status === 'disput-paid' ? (finalAmount ?? received) : 0n,
})

const countStatuses = (payments: readonly EndedPayment[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status } of payments) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/**
 * Replays the transfers of a span for a merchant's payments by a method: with their own terms, and with others. Reads
 * only.
 */
export const tryTerms = async (
  context: Context,
  wish: {
    readonly merchantId: string
    readonly method: PaymentMethod
    readonly since: Instant
    readonly until: Instant
    readonly terms: Partial<Terms>
  },
) => {
  const { merchantId, method, since, until } = wish
  const own = await listPastPayments(context, { merchantId, method, since, until, limit: maxPlayed + 1 })
  const shown = [...new Set(own.flatMap(requisitesOf))]
  const accounts = await listSharing(context, shown)
  const requisiteIds = [...new Set(shown.flatMap((id) => accounts.get(id) ?? [id]))]
  // Money is booked on the first requisite of an account, which may not be the one that was shown.
  const sharing = new Map([...accounts.values()].flatMap((account) => account.map((id) => [id, account] as const)))
  const span = { requisiteIds, since, until: Math.min(until + 2 * day, context.clock()) }
  const transfers = await context.query(listPastTransfers, { ...span, limit: maxPlayed + 1 })
  const holders = await listHolders(
    context,
    requisiteIds.map((requisiteId) => ({ requisiteId, since, until: span.until })),
  )
  const played = await listPaymentsOf(context, holders)
  const mine = new Set(own.slice(0, maxPlayed).map((payment) => payment.id))
  const payers = new Map(played.map((payment) => [payment.id, payment.payerPhoneIndex]))
  const past = {
    transfers: transfers.slice(0, maxPlayed),
    holders: holders.map((holder) => ({ ...holder, payerIndex: payers.get(holder.paymentId) ?? null })),
    sharing,
  }
  const run = (terms: Partial<Terms>): ReadonlyMap<string, Payment> => {
    const payments = played.map(({ payerPhoneIndex, ...payment }): [string, Payment] => [
      payment.id,
      mine.has(payment.id) ? { ...payment, terms: { ...payment.terms, ...terms } } : payment,
    ])
    return replay({ ...past, payments: new Map(payments) }, context.clock())
  }
  const [now, tried] = [run({}), run(wish.terms)]
  const rows = own.slice(0, maxPlayed).flatMap((payment) => {
    const [one, other] = [now.get(payment.id), tried.get(payment.id)]
    return one && other ? [{ payment, now: endOf(one), tried: endOf(other) }] : []
  })
  return {
    transfers: Math.min(transfers.length, maxPlayed),
    payments: rows.length,
    /** Whether there were more payments or transfers than one replay takes; only the oldest were played. */
    truncated: own.length > maxPlayed || transfers.length > maxPlayed,
    totals: { now: countStatuses(rows.map((row) => row.now)), tried: countStatuses(rows.map((row) => row.tried)) },
    changed: rows.filter((row) => row.now.status !== row.tried.status || row.now.credited !== row.tried.credited),
  }
}

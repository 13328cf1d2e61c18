import { exactNumber } from './read-arguments.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'

/** What a payment gets of a transfer, as it was typed; without an amount, all that the others leave. */
export type TypedShare = { readonly name: string; readonly amount: object | undefined }

/** `order-42`, or `order-42=1500.00`; an order may have `=` in it, so that only an amount behind the last one counts. */
export const shares = (typed: string, before: readonly TypedShare[] = []): readonly TypedShare[] => {
  const [, name, amount] = /^(.+)=([\d.]+)$/s.exec(typed) ?? []
  if (name === undefined || amount === undefined) return [...before, { name: typed, amount: undefined }]
  return [...before, { name, amount: exactNumber(amount) }]
}

/** Shares as requests have them; `merchant` says whose payments they are, where several have such an order. */
export const findShares = async (session: Session, named: readonly TypedShare[], merchant: string | undefined) => {
  const merchantId = merchant === undefined ? undefined : await resolveId(session, 'merchant', merchant)
  const found = await Promise.all(named.map(({ name }) => resolveName(session, 'payment', name, { merchantId })))
  return found.map(({ merchantId: owner, id }, index) => ({
    merchantId: owner,
    paymentId: id,
    amount: named[index]?.amount,
  }))
}

import type { Tx } from '../context.ts'
import { type Credits, creditPayments } from '../payments/credit-payments.ts'
import { type PaymentChanges, startChanges } from '../payments/start-changes.ts'

/** What a decision about transfers changes: locked payments, and the money that they are credited with. */
export type Books = { readonly changes: PaymentChanges; readonly credits: Credits }

/** Opens the books for a decision of `actor`; `changes.write` writes all of it. */
export const openBooks = (tx: Tx, actor: string): Books => {
  const changes = startChanges(tx, actor)
  return { changes, credits: creditPayments(tx, changes) }
}

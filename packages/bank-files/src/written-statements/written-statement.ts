import type { OrderParty } from '../payment-orders/payment-order.ts'

/** Money that came to an account or left it, as its holder knows it. */
export type WrittenEntry = {
  /** Up to 35 letters and digits; no other entry of the account has it. */
  readonly id: string
  /** `2026-01-31`, or with a time of day (`2026-01-31T10:30:00`), where the account is. */
  readonly booked: string
  readonly direction: 'credit' | 'debit'
  /** Whether it takes back an earlier entry; the other side is that of the earlier one. */
  readonly isReversal: boolean
  /** Above zero, in the smallest unit of the currency. */
  readonly amount: bigint
  /** The bank's own identifier. */
  readonly reference: string | null
  /** The payer of a credit, the payee of a debit. */
  readonly counterparty: OrderParty
  readonly text: string | null
}

/** The statement of an account over some days, in the order of booking. */
export type WrittenStatement = {
  /** Up to 35 characters. */
  readonly id: string
  /** Where the account is: `2026-01-31T10:30:00`. */
  readonly writtenAt: string
  readonly currency: string
  /** Whose account it is, with its number. */
  readonly owner: OrderParty
  /** `2026-01-01` */
  readonly firstDay: string
  readonly lastDay: string
  /** What the account held before the first day; `null` if nobody knows. */
  readonly opening: bigint | null
  readonly entries: readonly WrittenEntry[]
}

/** What entries add to an account, less what they take. */
export const changeOf = (entries: readonly WrittenEntry[]): bigint =>
  entries.reduce((sum, { direction, amount }) => sum + (direction === 'credit' ? amount : -amount), 0n)

/** The formats in which payment orders can be written. */
export const paymentFormats = ['1c', 'pain.001'] as const
export type PaymentFormat = (typeof paymentFormats)[number]

/** The bank of a side of a payment order. */
export type OrderBank = {
  /** A BIC of SWIFT, or the nine digits of the BIC of a bank in Russia. */
  readonly bic: string
  readonly name?: string | null
  readonly correspondentAccount?: string | null
}

/** A side of a payment order; `null` is what nobody knows. */
export type OrderParty = {
  readonly name: string | null
  /** An IBAN, or the number of an account at `bank`. */
  readonly account: string | null
  readonly bank: OrderBank | null
  /** INN and KPP, in Russia. */
  readonly taxNumber?: string | null
  readonly taxReason?: string | null
}

/** Money that an account is to send. */
export type PaymentOrder = {
  /** Up to six digits, and the last three are not all zero. */
  readonly number: number
  /** Up to 35 characters, by which a bank recognises the same order in another file. */
  readonly id: string
  /** In the smallest unit of the currency. */
  readonly amount: bigint
  readonly payee: OrderParty
  readonly text: string
}

/** A file with orders of one account, of one day and in one currency. */
export type PaymentOrders = {
  readonly id: string
  /** Where the account is: `2026-01-31T10:30:00`. */
  readonly writtenAt: string
  readonly currency: string
  readonly payer: OrderParty
  readonly orders: readonly PaymentOrder[]
}

/** A text on one line. */
export const onOneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()

/** A value that the format needs. */
export const known = (value: string | null | undefined): string => {
  if (!value) throw new TypeError('A payment order lacks what its format needs: check it first.')
  return value
}

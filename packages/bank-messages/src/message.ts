/** A message as a phone received it. What the forwarder does not say is `null` or missing. */
export type Message = {
  readonly channel: 'sms' | 'push'
  /** The sender of an SMS, exactly as the phone shows it. */
  readonly sender?: string | null
  /** The Android package that showed the notification. */
  readonly package?: string | null
  readonly title?: string | null
  readonly text: string
}

/** What a message can be about. */
export const messageKinds = ['credit', 'debit', 'declined', 'hold', 'reversal', 'code', 'other'] as const

/**
 * - `credit`: money has come in, also from the owner's other account, a cash machine or the bank itself.
 * - `debit`: money has gone out.
 * - `declined`: the bank has refused an operation.
 * - `hold`: money is reserved, and not booked.
 * - `reversal`: an earlier operation or hold is taken back.
 * - `code`: a password or a code that nobody else may see. It has no fields, so that they are not kept.
 * - `other`: known, and about no money that has moved.
 */
export type MessageKind = (typeof messageKinds)[number]

/** Values of a message. Amounts are decimal texts with two decimals (`30600.00`); what the message lacks is `null`. */
export type Fields = {
  readonly amount: string | null
  /** The lower-case code of the amount, or of the balance if there is no amount. */
  readonly currency: string | null
  /** The last digits of the card or account, or the whole number of a contract. */
  readonly account: string | null
  /** What is left or available after it; for some cards that is a credit limit. */
  readonly balance: string | null
  readonly fee: string | null
  readonly senderName: string | null
  readonly senderBank: string | null
  readonly senderPhone: string | null
  /** The time as printed, often without a year or a day. */
  readonly at: string | null
  /** What the payer wrote. */
  readonly comment: string | null
}

/** What a message says. `unknown`: no template has this text, or it has more than one meaning. */
export type Reading = Fields & {
  readonly kind: MessageKind | 'unknown'
  /** The bank whose template it is, or `null`. */
  readonly bank: string | null
}

/** The fields of a message that gives none. */
export const noFields: Fields = {
  amount: null,
  currency: null,
  account: null,
  balance: null,
  fee: null,
  senderName: null,
  senderBank: null,
  senderPhone: null,
  at: null,
  comment: null,
}

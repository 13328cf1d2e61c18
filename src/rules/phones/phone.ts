import type { Instant } from '../time.ts'
import { maxMinor } from '../values/currency.ts'

/** The apps that forward messages; each knows how its requests look (docs/phones.md). */
export const phoneApps = ['smsgate', 'sms-webhook', 'smsforwarder', 'other'] as const
/** What the phone of the simulated bank has instead: nobody sets that up. */
export const simulatedApp = 'simulated'
export type PhoneApp = (typeof phoneApps)[number] | typeof simulatedApp

/** A paused phone's money waits in the inbox; a removed phone sends nothing any more. */
export const phoneStates = ['active', 'paused', 'removed'] as const
export type PhoneState = (typeof phoneStates)[number]

/** A requisite whose money a phone reports, and by what its messages name the account. */
export type PhoneRequisite = {
  readonly requisiteId: string
  /** Last digits that messages show of the account or its cards. */
  readonly digits: readonly string[]
  /** What the app calls the SIM card on which the bank writes; null if it does not matter. */
  readonly sim: string | null
  /** Up to how many USDT within 24 hours messages credit on this requisite without a person; absent: only the phone's limit. */
  readonly dailyLimit?: number
}

/**
 * What became of a message:
 *
 * - `recorded`: its money is a transfer.
 * - `same`: another message had reported the money.
 * - `noted`: it brings no money.
 * - `waiting`: for a person, or for the message before it.
 * - `dismissed`: an operator has looked at it.
 */
export const messageStates = ['recorded', 'same', 'noted', 'waiting', 'dismissed'] as const
export type MessageState = (typeof messageStates)[number]

/**
 * Why a message waits: no template has its text, it says too little of its money, no requisite is certainly meant, its
 * balance does not follow from the one before, or it may be one that came before.
 */
export const waitingReasons = ['unknown-text', 'incomplete', 'no-requisite', 'balance', 'possible-duplicate'] as const
/** Also why one that brings money was only noted: the opening balance of its account has it. */
export type MessageReason = (typeof waitingReasons)[number] | 'before-opening'

/** What an operator may teach that a text says: anything but codes, which are never kept. */
export const taughtKinds = ['credit', 'debit', 'declined', 'hold', 'reversal', 'other'] as const
export type TaughtKind = (typeof taughtKinds)[number]

/**
 * What a template changes for a message that has its text: it would be `read`, and is not without it; it is read the `same`
 * with and without; it is read without it, and would be no more, because it is `contradicted`; or nobody can read it, because
 * it is `unclear`.
 */
export const templateChanges = ['contradicted', 'read', 'unclear', 'same'] as const
export type TemplateChange = (typeof templateChanges)[number]

/** A message as an app forwards it; what the app does not say is null. */
export type ForwardedMessage = {
  readonly channel: 'sms' | 'push'
  readonly sender: string | null
  readonly package: string | null
  readonly title: string | null
  readonly text: string
  /** When the bank's message was sent, or its notification shown. */
  readonly sentAt: Instant | null
  /** When the phone received it. */
  readonly receivedAt: Instant | null
  readonly sim: string | null
  /** A time, or the app's identifier, that is the same in every attempt, and another one if the bank says it again. */
  readonly occurrence: string | null
}

/** What a message may bring, in minor units: no payer sends more, but a forger may write it. */
export const mostByMessage = maxMinor / 1000n

/** How long a message whose balance does not follow waits for the one before it, before its money goes to the inbox. */
export const lateMessageMs = 10 * 60_000

/** Messages about one booking come within this time. */
export const sameBookingOfMessagesMs = 5 * 60_000

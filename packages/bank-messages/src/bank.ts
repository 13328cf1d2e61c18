import type { MessageKind } from './message.ts'

/** Where messages of a bank come from: names that are compared exactly, or `unknown` if no source has them. */
export type Origins = readonly string[] | 'unknown'

/** The messages of one bank. */
export type Bank = {
  readonly bank: string
  /** The lower-case code of its country. */
  readonly country: string
  /** The lower-case code of the currency that its messages mean where they name none, or only a letter. */
  readonly currency: string
  /** Senders of its SMS. With `unknown`, only messages without a sender are read; without it, no SMS is. */
  readonly senders?: Origins
  /** Android packages of its apps, in the same way. */
  readonly packages?: Origins
  /** The names of its bots in Telegram, whose notifications have the name as their title. */
  readonly bots?: readonly string[]
  /** Titles of notifications that only name the app; forwarders may write them before the text. */
  readonly titles?: readonly string[]
  /** A mark before three digits, as in `2,570`, that separates thousands. */
  readonly thousands?: ',' | '.'
  /** Words for currencies that only this bank uses. */
  readonly currencyWords?: Readonly<Record<string, string>>
  /** Parts that its templates repeat, by their name in braces. */
  readonly parts?: Readonly<Record<string, string>>
  readonly templates: Templates
}

/** The templates of a bank by the kind of message. */
export type Templates = Readonly<Partial<Record<MessageKind, readonly string[]>>>

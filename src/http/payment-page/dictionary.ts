import type { PaymentMethod } from '../../domain/payment.ts'
import type { SimulatedEvent } from '../../domain/simulation.ts'
import type { PageState } from './page-state.ts'
import { english } from './dictionary-en.ts'
import { russian } from './dictionary-ru.ts'

/** A heading with the lines under it. */
export type Message = { readonly heading: string; readonly lines: readonly string[] }

/** All words of the payer's page in one language; amounts, spans and names come in ready for reading. */
export type Dictionary = {
  /** The language's own name, for the link that leads to it. */
  readonly language: string
  readonly title: (shop: string) => string
  readonly payee: string
  /** Before the title of a page that shows what has to be corrected. */
  readonly error: string
  /** The states in a word or two, for the title. */
  readonly states: Readonly<Record<PageState, string>>
  readonly order: string
  readonly backToShop: (shop: string) => string
  readonly backToPayment: string
  readonly checkStatus: string
  /** Said while the page updates by itself, and while it cannot. */
  readonly live: string
  readonly offline: string
  readonly copy: string
  readonly copied: string
  readonly copyAmount: string
  readonly copyNumber: string
  readonly copyBank: string
  readonly copyHolder: string
  readonly copyBic: string
  readonly timeLeft: string
  /** Said without the script, `19:30 (UTC+3)`. */
  readonly until: (time: string) => string
  /** Announced when so much time is left, `5 minutes`. */
  readonly left: (span: string) => string
  readonly testMode: string
  readonly simulate: { readonly heading: string; readonly events: Readonly<Partial<Record<SimulatedEvent, string>>> }
  /** The methods as a payer knows them. */
  readonly methods: Readonly<Record<PaymentMethod, string>>
  readonly details: {
    readonly heading: string
    readonly amount: string
    readonly method: string
    readonly country: string
    readonly chooseCountry: string
    readonly otherCountry: string
    readonly phone: string
    readonly why: string
    readonly example: (phone: string) => string
    readonly international: string
    readonly phoneWrong: string
    readonly submit: string
    readonly next: string
  }
  readonly banks: {
    readonly label: string
    readonly why: string
    readonly search: string
    /** Said without the script, and the button of the search without it. */
    readonly write: string
    readonly find: string
    readonly several: string
    readonly any: string
    readonly none: string
    readonly noLink: string
  }
  readonly pay: {
    readonly heading: string
    readonly amount: string
    readonly exactly: string
    readonly number: Readonly<Record<PaymentMethod, string>>
    readonly bank: string
    readonly holder: string
    readonly bic: string
    readonly openBank: (bank: string) => string
    readonly openOneOf: string
    readonly how: string
    readonly howIn: (bank: string) => string
    readonly steps: Readonly<Record<PaymentMethod, readonly string[]>>
    readonly claim: string
    readonly claimNote: string
    readonly switchTo: (method: string) => string
    readonly switchFailed: (method: string) => string
    readonly code: string
    readonly codeNote: string
    readonly codeAlt: string
    readonly saveCode: string
    readonly onPhone: string
    readonly onPhoneNote: string
    readonly onPhoneAlt: string
  }
  readonly checking: Message & { readonly amount: string; readonly notSent: string; readonly tooLate: string }
  readonly receipts: {
    readonly summary: string
    readonly note: (size: string, count: string) => string
    readonly file: string
    readonly submit: string
    readonly sent: string
    readonly full: string
    readonly wrong: (size: string) => string
  }
  readonly part: {
    readonly heading: string
    readonly received: (received: string, amount: string) => string
    readonly missing: string
    readonly exactly: string
    readonly rest: string
  }
  readonly partOver: (received: string, amount: string) => Message
  readonly paid: (received: string, amount: string) => Message
  readonly credited: (final: string, amount: string) => Message
  readonly creditedByStaff: (final: string, amount: string) => Message
  readonly expired: Message
  /** For a payment whose requisite nobody has seen. */
  readonly expiredUnseen: Message
  /** For a payment whose money is looked for no more. */
  readonly expiredLong: Message
  readonly review: Message
  readonly canceled: Message
  readonly failed: Message
  readonly claim: {
    readonly summary: string
    readonly note: string
    readonly amount: string
    readonly amountWrong: string
    readonly paidAt: (zone: string) => string
    readonly paidAtWrong: string
    readonly receipt: string
    readonly submit: string
  }
  readonly claimed: Message & { readonly amount: string; readonly paidAt: string }
  /** For a payment whose money finds it no longer by itself. */
  readonly claimedClosed: Message
  /** For a payment whose payer has claimed to have paid, and whom staff did not believe. */
  readonly rejected: Message
  readonly receipt: {
    readonly link: string
    readonly heading: string
    readonly print: string
    readonly fields: {
      readonly received: string
      readonly amount: string
      readonly credited: string
      readonly shop: string
      readonly order: string
      readonly paidAt: string
      readonly method: string
      readonly to: string
      readonly from: string
      readonly id: string
    }
    readonly note: string
  }
  readonly unknownLink: Message
  readonly foreignForm: Message
  readonly badRequest: Message
  readonly tooMany: Message
  readonly tooSlow: Message
  readonly trouble: Message
}

/** Every language of the page; to add one, add its dictionary here. */
export const dictionaries = { ru: russian, en: english } as const satisfies Record<string, Dictionary>

/** Code of a language that the page has. */
export type Locale = keyof typeof dictionaries

/** All languages of the page, the default one first. */
export const locales = Object.keys(dictionaries) as Locale[]

import type { PaymentMethod } from '../../domain/payment-method.ts'
import type { SimulatedEvent } from '../../domain/simulation.ts'
import type { PageState } from './page-state.ts'

/** A heading with the lines under it. */
export type Message = { readonly heading: string; readonly lines: readonly string[] }

/** All texts of the payer's page in one language; amounts, spans and names are passed in ready to read. */
export type Dictionary = {
  /** The language's own name, for the link to it. */
  readonly language: string
  readonly title: (shop: string) => string
  readonly payee: string
  /** Precedes the title of a page that shows what to correct. */
  readonly error: string
  /** Each state in a word or two, for the title. */
  readonly states: Readonly<Record<PageState, string>>
  readonly order: string
  readonly backToShop: (shop: string) => string
  readonly backToPayment: string
  readonly checkStatus: string
  /** Shown while the page updates automatically, and while it cannot. */
  readonly live: string
  readonly offline: string
  /** What the script says about a form that is being sent, or got no answer. */
  readonly forms: { readonly busy: string; readonly failed: string }
  readonly copy: string
  readonly copied: string
  readonly copyAmount: string
  readonly copyNumber: string
  readonly copyBank: string
  readonly copyHolder: string
  readonly copyBic: string
  readonly timeLeft: string
  /** Shown without the script, `19:30 (UTC+3)`. */
  readonly until: (time: string) => string
  /** Announced when this much time is left, `5 minutes`. */
  readonly left: (span: string) => string
  readonly testMode: string
  readonly simulate: { readonly heading: string; readonly events: Readonly<Partial<Record<SimulatedEvent, string>>> }
  /** The methods as a payer knows them: the name, and what kind of number it is. */
  readonly methods: Readonly<Record<PaymentMethod, { readonly name: string; readonly number: string }>>
  /** What to enter in the bank's app, in the order in which it asks. */
  readonly transfer: {
    readonly bank: string
    readonly phone: string
    readonly card: string
    /** The number of a phone abroad, without its country code such as `+998`. */
    readonly phoneAbroad: (code: string) => string
    readonly country: string
    readonly amount: string
    readonly name: string
    readonly cardBank: string
    /** The fields of a payment order, as the forms of banks call them. */
    readonly recipient: string
    readonly inn: string
    readonly kpp: string
    readonly account: string
    readonly bankName: string
    readonly correspondentAccount: string
    readonly purpose: string
    readonly sum: string
    /** Says what a copy button of one of these fields copies. */
    readonly copyField: (field: string) => string
    /** Next to the QR code of the transfer, on a large screen. */
    readonly scan: string
    /** The usual purpose of a payment order. */
    readonly purposeOf: (order: string) => string
    /** Under the details of a transfer abroad: who converts, and that the fee comes on top. `currency` is its name. */
    readonly abroad: (currency: string, amount: string) => string
  }
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
    readonly phoneExtension: string
    readonly submit: string
    readonly next: string
  }
  readonly banks: {
    readonly label: string
    readonly why: string
    readonly search: string
    /** Shown without the script; `find` is the button of the search. */
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
    readonly bank: string
    readonly holder: string
    readonly bic: string
    readonly openBank: (bank: string) => string
    readonly openOneOf: string
    readonly howIn: (bank: string) => string
    readonly claim: string
    readonly claimNote: string
    /** Whose transfer is awaited: a masked number and, where it is known, a bank. */
    readonly payingFrom: (source: string) => string
    readonly change: string
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
  /** The page on which a payer corrects its number and bank after the requisite has been shown. */
  readonly change: { readonly heading: string; readonly note: string; readonly submit: string }
  /** The page on which a payer confirms that it will not pay. */
  readonly cancel: {
    readonly link: string
    readonly heading: string
    readonly lines: readonly string[]
    readonly submit: string
    readonly keep: string
  }
  /** How to reach the shop's support, on every bad ending. */
  readonly support: {
    readonly heading: string
    readonly phone: string
    readonly link: string
    readonly messenger: string
  }
  readonly checking: Message & { readonly amount: string; readonly notSent: string; readonly tooLate: string }
  readonly receipts: {
    readonly summary: string
    readonly note: (size: string, count: string) => string
    readonly file: string
    readonly submit: string
    readonly sent: string
    readonly full: string
    /** Each says what to do: no file, one of another type, one that is too large. */
    readonly missing: string
    readonly wrongType: string
    readonly tooLarge: (size: string) => string
  }
  readonly part: {
    readonly heading: string
    readonly received: (received: string, amount: string) => string
    readonly missing: string
    readonly exactly: string
    readonly rest: string
  }
  readonly partOver: (received: string, amount: string, missing: string) => Message
  readonly paid: (received: string, amount: string) => Message
  readonly credited: (final: string, amount: string) => Message
  readonly creditedByStaff: (final: string, amount: string) => Message
  readonly expired: Message
  /** For a payment whose requisite nobody has seen. */
  readonly expiredUnseen: Message
  /** For a payment whose money is no longer looked for. */
  readonly expiredLong: Message
  readonly review: Message
  readonly canceled: Message
  readonly canceledByPayer: Message
  readonly failed: Message
  readonly claim: {
    readonly summary: string
    readonly note: string
    readonly amount: string
    readonly amountWrong: string
    readonly paidAt: (zone: string) => string
    /** The same where the script gives the browser's zone. */
    readonly paidAtLocal: string
    readonly paidAtWrong: string
    readonly receipt: string
    readonly submit: string
  }
  readonly claimed: Message & { readonly amount: string; readonly paidAt: string }
  /** For a payment that late money no longer reaches automatically. */
  readonly claimedClosed: Message
  /** For a payment whose payer's claim staff have rejected. */
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
  /** Pages for refused requests. */
  readonly problems: Readonly<Record<ProblemName, Message>>
}

/** The refusals that a browser may meet. */
export type ProblemName =
  | 'unknownLink'
  | 'foreignForm'
  | 'badRequest'
  | 'wrongMethod'
  | 'tooSlow'
  | 'tooLarge'
  | 'wrongType'
  | 'tooMany'
  | 'busy'
  | 'trouble'

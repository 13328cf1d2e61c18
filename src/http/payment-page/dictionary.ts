import type { PaymentMethod } from '../../domain/payment.ts'
import type { SimulatedEvent } from '../../domain/simulation.ts'
import { english } from './dictionary-en.ts'
import { russian } from './dictionary-ru.ts'

/** A heading with the lines under it. */
export type Message = { readonly heading: string; readonly lines: readonly string[] }

/** All words of the payer's page in one language; amounts and names come in ready for reading. */
export type Dictionary = {
  /** The language's own name, for the link that leads to it. */
  readonly language: string
  readonly title: (shop: string) => string
  readonly payee: string
  readonly order: string
  readonly backToShop: (shop: string) => string
  readonly checkStatus: string
  readonly copy: string
  readonly copied: string
  readonly copyAmount: string
  readonly copyNumber: string
  readonly timeLeft: string
  readonly testMode: string
  readonly simulate: { readonly heading: string; readonly events: Readonly<Partial<Record<SimulatedEvent, string>>> }
  readonly details: {
    readonly heading: string
    readonly amount: string
    readonly phone: string
    readonly why: string
    readonly example: (phone: string) => string
    readonly international: string
    readonly phoneWrong: string
    readonly bank: string
    readonly bankWhy: string
    readonly anyBank: string
    readonly submit: string
  }
  readonly pay: {
    readonly heading: string
    readonly amount: string
    readonly exactly: string
    readonly number: Readonly<Record<PaymentMethod, string>>
    readonly bank: string
    readonly holder: string
    readonly how: string
    readonly steps: Readonly<Record<PaymentMethod, readonly string[]>>
    readonly claim: string
    readonly claimNote: string
  }
  readonly checking: Message & { readonly notSent: string }
  readonly part: {
    readonly heading: string
    readonly received: (received: string, amount: string) => string
    readonly missing: string
    readonly exactly: string
  }
  readonly partOver: (received: string, amount: string) => Message
  readonly paid: (amount: string) => Message
  readonly credited: (final: string, amount: string) => Message
  readonly expired: Message
  /** For a payment whose requisite nobody has seen. */
  readonly expiredUnseen: Message
  readonly review: Message
  readonly canceled: Message
  readonly failed: Message
  readonly unknownLink: Message
  readonly foreignForm: Message
  readonly badRequest: Message
  readonly trouble: Message
}

/** Every language of the page; to add one, add its dictionary here. */
export const dictionaries = { ru: russian, en: english } as const satisfies Record<string, Dictionary>

/** Code of a language that the page has. */
export type Locale = keyof typeof dictionaries

/** All languages of the page, the default one first. */
export const locales = Object.keys(dictionaries) as Locale[]

import { isCardNumber, luhnDigit } from './account-number.ts'

/** Scopes of a transfer that a request may name (docs/contract.md §2.2). */
export const transferScopes = ['international'] as const
export type TransferScope = (typeof transferScopes)[number]

/** How fast a method's money moves: within minutes on any day, or from bank to bank on banking days. */
export type Rail = 'instant' | 'banking-days'

/** Everything that differs by payment method, except its words on the page (`english.ts` and `languages`). */
export type MethodRules = {
  /** The kind of number that money is sent to: banks' apps ask for each kind in another order of steps. */
  readonly numberKind: 'card' | 'phone' | 'account'
  readonly rail: Rail
  /** The field of `card` that carries the number (docs/contract.md §2.3). */
  readonly cardField: 'pan' | 'phone'
  /**
   * Whether digits are a number of the method in its only spelling: two spellings of one account would be two slots for
   * the same money.
   */
  readonly fits: (digits: string) => boolean
  /** The form of the number in words, after "must be". */
  readonly form: string
  /** The scope that requests and requisites must name; `null` if none is allowed. */
  readonly transferScope: TransferScope | null
  /** Currency in which banks' apps fill in the transfer from a QR code (GOST R 56042); `null` if they cannot. */
  readonly codeCurrency: string | null
  /** A made-up number of the right form for the demo, unique by `index` below 10^7. */
  readonly madeUpNumber: (index: number) => string
  /** How the payer sends the money, in words. */
  readonly meaning: string
}

const sevenDigits = (index: number): string => String(index).padStart(7, '0')

const methods = {
  'card-to-card': {
    numberKind: 'card',
    rail: 'instant',
    cardField: 'pan',
    fits: isCardNumber,
    form: 'a card number of 16 to 19 digits with a right check digit',
    transferScope: null,
    codeCurrency: null,
    madeUpNumber: (index) => {
      const body = `22000000${sevenDigits(index)}`
      return body + luhnDigit(body)
    },
    meaning: 'from card to card',
  },
  sbp: {
    numberKind: 'phone',
    rail: 'instant',
    cardField: 'phone',
    fits: (digits) => /^7\d{10}$/.test(digits),
    form: '11 digits that start with 7',
    transferScope: null,
    codeCurrency: null,
    madeUpNumber: (index) => `7999${sevenDigits(index)}`,
    meaning: 'by phone number, through the Faster Payments System',
  },
  'account-to-account': {
    numberKind: 'account',
    rail: 'banking-days',
    cardField: 'pan',
    fits: (digits) => /^\d{20}$/.test(digits),
    form: '20 digits',
    transferScope: null,
    codeCurrency: 'rub',
    madeUpNumber: (index) => `4081781000000${sevenDigits(index)}`,
    meaning: 'from account to account',
  },
  'by-phone': {
    numberKind: 'phone',
    rail: 'instant',
    cardField: 'phone',
    fits: (digits) => /^[1-9]\d{7,14}$/.test(digits),
    form: '8 to 15 digits with the country code',
    transferScope: 'international',
    codeCurrency: null,
    madeUpNumber: (index) => `99290${sevenDigits(index)}`,
    meaning: 'by phone number to another country',
  },
} as const satisfies Readonly<Record<string, MethodRules>>

/** How a payer may pay (docs/contract.md §1). */
export type PaymentMethod = keyof typeof methods

export const methodRules: Readonly<Record<PaymentMethod, MethodRules>> = methods

export const paymentMethods = Object.keys(methods) as readonly PaymentMethod[]

/** The methods whose rules have a property, such as those that need a transfer scope. */
export const methodsWith = (has: (rules: MethodRules) => boolean): readonly PaymentMethod[] =>
  paymentMethods.filter((method) => has(methodRules[method]))

/** The methods that need a transfer scope; all others refuse one. */
export const scopedMethods = methodsWith(({ transferScope }) => transferScope !== null)

/** The method that `sbpEnabled` adds to the requested one, or that it means without one. */
export const fastMethod: PaymentMethod = 'sbp'

/** The methods that the payer may choose from: the payment's own and, with `sbpEnabled`, the fast one. */
export const offeredMethods = (payment: {
  readonly method: PaymentMethod
  readonly sbpEnabled: boolean
}): readonly PaymentMethod[] =>
  payment.sbpEnabled && payment.method !== fastMethod ? [payment.method, fastMethod] : [payment.method]

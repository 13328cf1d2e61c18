import { isId } from '../values/id-text.ts'
import { maskNumbers, numbersIn } from '../values/masking.ts'
import { foldName } from '../values/payer-name.ts'

/**
 * One thing that a search asks for: any of its alternatives matches. For instance, digits may be an amount, the end of
 * a number, or part of an order.
 */
export type SearchTerm = {
  readonly typed: string
  /** An amount without trailing zeros, if it may be one. */
  readonly amount: string | null
  /** As words of the index; see `wordsOf…`. */
  readonly words: readonly string[]
  /** Digits of a whole phone, card or account number, in each spelling; empty if it is not one. */
  readonly numbers: readonly string[]
}

export type SearchRequest = {
  /** The whole text, for orders and references. */
  readonly text: string
  /** An id of the service in lower case, or `null`. */
  readonly id: string | null
  /** The token in the address of a payer's page, or `null`. */
  readonly checkoutToken: string | null
  /** All of them must be found. */
  readonly terms: readonly SearchTerm[]
}

/** Further words do not narrow a search. */
const maxSearchTerms = 5

const maxTextWords = 40

const pageAddress = /\/([\w-]+)\/payment-sbp(?![\w-])/
// `1 500`, `1 500,01` and `+7 (999) 123-45-67` are one term each.
const spacedAmount = /(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?![\d.,])/g
const phone = /\+\d[\d ()-]{7,22}\d/g

const word = {
  amount: (decimal: string) => `amount ${decimal}`,
  ending: (digits: string) => `ending ${digits}`,
  code: (text: string) => `code ${text}`,
  name: (text: string) => `name ${text}`,
  number: (digits: string) => `number ${digits}`,
}

/** Without trailing zeros: `1500.10` and `1500.1` are the same amount. */
const plainDecimal = (whole: string, fraction: string): string => {
  const kept = fraction.replace(/(?<!0)0+$/, '')
  const start = whole.replace(/^0+(?=\d)/, '')
  return kept === '' ? start : `${start}.${kept}`
}

const amountWord = (minor: bigint, decimals: number): string => {
  const digits = String(minor).padStart(decimals + 1, '0')
  return word.amount(plainDecimal(digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)))
}

const hasDigit = /\d/

/** A reference, order or other code: the whole of it, and each part that has a digit. */
const codeWords = (code: string): string[] => {
  const whole = code.toLowerCase()
  const parts = whole.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== whole && hasDigit.test(part))
  return [whole, ...parts].map(word.code)
}

/** What everybody sees of a text as words, and the numbers that are masked in it whole, for those who may reveal them. */
const proseWords = (text: string | null): string[] => {
  const masked = maskNumbers(text) ?? ''
  const words = masked.split(/[^\p{L}\p{N}]+/u).filter((each) => each.length >= 2)
  return [
    ...words
      .slice(0, maxTextWords)
      .flatMap((each) => (hasDigit.test(each) ? [word.code(each.toLowerCase())] : [word.name(foldName(each))])),
    ...numbersIn(text ?? '').map(word.number),
  ]
}

const endingWords = (masked: string): string[] => {
  const digits = masked.replace(/\D/g, '')
  return digits.length < 4 ? [] : [word.ending(digits.slice(-4))]
}

const unique = (words: readonly string[]): string[] => [...new Set(words)]

/** Whether a payment has what each term asks for: its order or user or a part of one, its amount, the end of its number. */
export const hasTerms = (
  payment: {
    readonly orderId: string
    readonly userId: string | null
    readonly amount: bigint
    readonly decimals: number
    readonly masked: string
  },
  terms: readonly SearchTerm[],
): boolean => {
  const words = new Set([
    ...codeWords(payment.orderId),
    ...codeWords(payment.userId ?? ''),
    amountWord(payment.amount, payment.decimals),
    ...endingWords(payment.masked),
  ])
  return terms.every((term) => term.words.some((each) => words.has(each)))
}

/** The words by which an incoming or outgoing transfer is found. */
export const wordsOfTransfer = (transfer: {
  readonly amount: bigint
  readonly decimals: number
  readonly reference: string | null
  /** The other side's number, masked. */
  readonly masked: string
  readonly name: string | null
  readonly text: string | null
  /** Of its document. */
  readonly number: string | null
}): string[] =>
  unique([
    amountWord(transfer.amount, transfer.decimals),
    ...(transfer.reference === null ? [] : codeWords(transfer.reference)),
    ...(transfer.number === null ? [] : codeWords(transfer.number)),
    ...endingWords(transfer.masked),
    ...proseWords(transfer.name),
    ...proseWords(transfer.text),
  ])

/** A Russian phone is written, and reported by banks, with 7, with 8, or without either. */
const numberForms = (digits: string): string[] => {
  const phoneDigits = /^(?:[78]?)(9\d{9})$/.exec(digits)?.[1]
  return phoneDigits === undefined ? [digits] : [`7${phoneDigits}`, `8${phoneDigits}`, phoneDigits]
}

const readTerm = (typed: string, mayReveal: boolean): SearchTerm => {
  const lower = typed.toLowerCase()
  if (!hasDigit.test(lower))
    return { typed, amount: null, words: unique([word.name(foldName(lower)), word.code(lower)]), numbers: [] }
  const digits = typed.replace(/[\s()+-]/g, '')
  const [, whole, fraction = ''] = /^(\d{1,15})(?:[.,](\d{1,8}))?$/.exec(typed.replace(/[\s\u00a0\u202f]/g, '')) ?? []
  const amount = whole === undefined ? null : plainDecimal(whole, fraction)
  const numbers = mayReveal && /^\d{8,34}$/.test(digits) ? numberForms(digits) : []
  return {
    typed,
    amount,
    words: [
      word.code(lower),
      ...(amount === null ? [] : [word.amount(amount)]),
      ...(/^\d{4}$/.test(digits) ? [word.ending(digits)] : []),
      ...numbers.map(word.number),
    ],
    numbers,
  }
}

/**
 * Reads what an operator typed into a search: an order, id, address of a payer's page, amount, number or its last
 * digits, reference, name or text. Whole numbers count only for those who may reveal them.
 */
export const readSearch = (typed: string, mayReveal: boolean): SearchRequest => {
  // Pasted text may contain invisible characters; the database does not accept all of them.
  const text = typed.replace(/\p{Cc}/gu, ' ').trim()
  // `•••• 4567` is the end of a number.
  const ending = /^[•*\s]+(\d{4})$/.exec(text)?.[1]
  const whole: string[] = []
  const rest = [phone, spacedAmount].reduce(
    (left, pattern) =>
      left.replace(pattern, (found) => {
        whole.push(found)
        return ' '
      }),
    ending ?? text,
  )
  const terms = [...whole, ...rest.split(/\s+/)].filter((each) => each !== '').slice(0, maxSearchTerms)
  return {
    text,
    id: isId(text.toLowerCase()) ? text.toLowerCase() : null,
    checkoutToken: pageAddress.exec(text)?.[1] ?? null,
    terms: terms.map((term) => readTerm(term, mayReveal)),
  }
}

/** The kinds of entries in the search index: what has names and texts, which are sealed. */
export const searchKinds = ['transfer', 'outgoing'] as const

/** What a search may find. */
export const foundKinds = ['payment', ...searchKinds, 'settlement', 'merchant', 'requisite', 'request'] as const

export type SearchKind = (typeof searchKinds)[number]

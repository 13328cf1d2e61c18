import { contradicts } from './contradicts.ts'
import { currencyWordsOf } from './currency.ts'
import { readDecimal } from './decimal.ts'
import { currencyMark, gaps } from './gaps.ts'
import { createMatcher, type Gap, type Work } from './match.ts'
import { type Fields, type MessageKind, noFields } from './message.ts'
import { normalText, type NormalText, originalText } from './normal-text.ts'
import { fixedTexts, hasFixed, parseTemplate, type TemplateBank } from './parse-template.ts'
import { compilePattern, oneOf, optional, type Program, sequence, spacing } from './pattern.ts'
import { namesCode } from './secret.ts'

/** What a template finds in a text: its fields, `doubtful` if the text has several meanings, or undefined if it is not its text. */
export type Found = { readonly fields: Fields; readonly gaps: readonly Gap[] } | 'doubtful' | undefined

/** A template that is ready to read texts. */
export type CompiledTemplate = {
  readonly kind: MessageKind
  readonly template: string
  /** How many steps one character of a text can take. */
  readonly size: number
  /** The template itself has a word such as `code`, so what follows it is no secret. */
  readonly namesCode: boolean
  readonly read: (text: NormalText, start?: number, work?: Work) => Found
}

const moneyFields: ReadonlySet<string> = new Set(['amount', 'balance', 'fee'])

const finalPoint = oneOf((code) => code === 46, spacing.any)

const lastDigits = (text: string): string => text.replace(/^.*[^\d]/s, '')

/** Whether the end of a number may have been cut off: nothing follows it, and it is not as long as others. */
const isCut = (text: NormalText, { name, to }: Gap, found: readonly Gap[], thousands: string | undefined): boolean => {
  const follows = text.folded.charAt(to)
  const last = text.folded.slice(Math.max(0, to - 4), to)
  if (name === 'account') return follows === '' && !/^\d{4}$/.test(last)
  if (!moneyFields.has(name) || found.some((gap) => gap.name === name + currencyMark && gap.from === to)) return false
  const isNext = follows === '.' || follows === ','
  const isWhole = /[.,]\d\d$/.test(last) && last.at(-3) !== thousands
  return !isWhole && (follows === '' || (isNext && text.spaced[to] === 0))
}

type Values = { -readonly [Name in keyof Fields]: Fields[Name] } & { balanceCurrency: string | null }

class FieldReader {
  readonly values: Values = { ...noFields, balanceCurrency: null }
  #isSound = true

  readonly bank: TemplateBank
  readonly currencies: ReadonlyMap<string, string>

  constructor(bank: TemplateBank, currencies: ReadonlyMap<string, string>) {
    this.bank = bank
    this.currencies = currencies
  }

  get isSound(): boolean {
    return this.#isSound
  }

  /** Sets a field; a value that is written twice must be the same. */
  set(name: keyof Values, value: string | null): void {
    if (value === null || (this.values[name] !== null && this.values[name] !== value)) this.#isSound = false
    this.values[name] = value
  }

  add(name: string, text: string): void {
    switch (name) {
      case 'amount':
      case 'balance':
      case 'fee':
        return this.set(name, readDecimal(text, this.bank.thousands))
      case `amount${currencyMark}`:
        return this.set('currency', this.currencies.get(normalText(text).folded) ?? null)
      case `balance${currencyMark}`:
        return this.set('balanceCurrency', this.currencies.get(normalText(text).folded) ?? null)
      case 'account':
        return this.set('account', lastDigits(text))
      case 'contract':
        return this.set('account', text)
      case 'person':
      case 'name':
      case 'payer':
        return this.set('senderName', text)
      case 'bank':
        return this.set('senderBank', text.replace(/\.$/, ''))
      case 'phone':
        return this.set('senderPhone', text)
      case 'comment':
        return this.set('comment', text)
      case 'message':
        return this.set('comment', text.replace(/\.$/, ''))
      case 'time':
      case 'date':
      case 'clock':
        this.values.at = this.values.at === null ? text : `${this.values.at} ${text}`
    }
  }

  fields(): Fields {
    const { balanceCurrency, ...fields } = this.values
    const money = fields.amount ?? fields.balance
    return { ...fields, currency: money === null ? null : (fields.currency ?? balanceCurrency ?? this.bank.currency) }
  }
}

/** Fields that a way to read may miss, because a free text took theirs. */
const optionalFields: ReadonlySet<keyof Fields> = new Set(['balance', 'fee', 'senderName', 'senderBank', 'at'])

/** The one meaning of two ways to read a text: a way may miss an optional field, or the point after a name. */
const agree = (long: Fields, short: Fields): Fields | undefined => {
  const both: { -readonly [Name in keyof Fields]: Fields[Name] } = { ...long }
  for (const name of Object.keys(noFields) as (keyof Fields)[]) {
    const [first, second] = [long[name], short[name]]
    if (first === second || (name === 'senderName' && first === `${second}.`)) continue
    if (name === 'at' && first !== null && second !== null) {
      // A free text took the day or the hour.
      if (!first.includes(second) && !second.includes(first)) return undefined
      both.at = first.length > second.length ? first : second
      continue
    }
    if (!optionalFields.has(name) || (first !== null && second !== null)) return undefined
    both[name] = first ?? second
  }
  return both
}

/** Compiles a template of a bank; throws a `TemplateFault` if it cannot be understood. */
export const compileTemplate = (kind: MessageKind, template: string, bank: TemplateBank): CompiledTemplate => {
  const written = parseTemplate(template, bank)
  // A point at the end makes no difference, unless a gap takes it.
  const pattern = /\{(?:comment|message|text|link)\}[\]>]*$/.test(template)
    ? written
    : sequence(written, optional(finalPoint))
  const program: Program = compilePattern(pattern)
  const match = createMatcher(program)
  const fixed = fixedTexts(pattern)
  const currencies = new Map(currencyWordsOf(bank.currency, bank.currencyWords))

  const readGaps = (text: NormalText, found: readonly Gap[]): Fields | undefined => {
    const reader = new FieldReader(bank, currencies)
    for (const gap of found) {
      const { name, from, to } = gap
      const value = originalText(text, from, to)
      if (isCut(text, gap, found, bank.thousands)) return undefined
      if (gaps[name]?.isForeign === true && contradicts(kind, value)) return undefined
      if (kind === 'credit' || !isOfCredits(name)) reader.add(name, value)
    }
    const fields = reader.fields()
    const isEmpty = kind === 'credit' && (fields.amount === null || fields.amount === '0.00')
    return reader.isSound && !isEmpty ? fields : undefined
  }

  const read = (text: NormalText, start = 0, work?: Work): Found => {
    if (!hasFixed(text.folded, fixed, start)) return undefined
    const long = match(text, start, false, work)
    const short = long && match(text, start, true, work)
    if (long === undefined || short === undefined) return undefined
    const [first, second] = [readGaps(text, long), readGaps(text, short)]
    const fields = first && second ? agree(first, second) : (first ?? second)
    if (fields === undefined) return 'doubtful'
    return { fields, gaps: first === undefined ? short : long }
  }
  return {
    kind,
    template,
    size: 2 * program.length,
    namesCode: namesCode(template.replace(/\{[a-z:_A-Z]{0,40}\}/g, ' ')),
    read,
  }
}

/** Whether only credits have the field: in other messages a name is that of a payee. */
const isOfCredits = (name: string): boolean => ['person', 'name', 'payer', 'bank', 'phone'].includes(name)

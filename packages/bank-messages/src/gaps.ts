// The gaps of templates: for each, which texts it may be.
import { currencyWordsOf } from './currency.ts'
import { digit, letter, normalText } from './normal-text.ts'
import {
  type CharacterClass,
  choice,
  endOf,
  longest,
  type EndOf,
  oneOf,
  optional,
  type Pattern,
  repeat,
  sequence,
  type Spacing,
  spacing,
  upTo,
} from './pattern.ts'

/** What a gap needs to know of its bank and what comes before it. */
export type GapSurroundings = {
  /** Whether a space is written before it. */
  readonly space: Spacing
  /** Whether a gap of any text is before it, which must not take the first digits of a number. */
  readonly afterText: boolean
  readonly currency: string
  readonly currencyWords?: Readonly<Record<string, string>>
}

const { any, glued, apart } = spacing

const isDigit: CharacterClass = (_, kind) => kind === digit
const isLetter: CharacterClass = (_, kind) => kind === letter
const isOneOf = (characters: string): CharacterClass => {
  const codes = new Set([...characters].map((each) => each.charCodeAt(0)))
  return (code) => codes.has(code)
}
const either = (...classes: readonly CharacterClass[]): CharacterClass => {
  return (code, kind) => classes.some((is) => is(code, kind))
}
const isAny: CharacterClass = () => true

const digits = (space: Spacing): Pattern => sequence(oneOf(isDigit, space), optional(repeat(oneOf(isDigit, glued))))
const exactly = (times: number, is: CharacterClass, space: Spacing): Pattern =>
  sequence(oneOf(is, space), ...Array.from({ length: times - 1 }, () => oneOf(is, glued)))
const oneOrTwo = (space: Spacing): Pattern => sequence(oneOf(isDigit, space), optional(oneOf(isDigit, glued)))

const fold = (text: string): string => normalText(text).folded

/** The letters of a word that is folded already. */
const word = (folded: string, space: Spacing): Pattern =>
  sequence(
    ...[...folded].map(
      (character, index): Pattern => ({
        type: 'character',
        code: character.charCodeAt(0),
        space: index === 0 ? space : glued,
      }),
    ),
  )

/** Digits in groups, with marks between them; what they mean is decided when they are read. */
const numberFrom = (space: Spacing): Pattern =>
  sequence(
    oneOf(isDigit, space),
    optional(
      repeat(
        choice(
          oneOf(isDigit, glued),
          exactly(3, isDigit, apart),
          sequence(oneOf(isOneOf(".,'"), glued), oneOf(isDigit, glued)),
        ),
      ),
    ),
    endOf('number'),
  )

/** The mark of the currency's gap that belongs to a gap of money. */
export const currencyMark = '¤'

const money =
  (isSigned: boolean) =>
  (name: string, option: string, at: GapSurroundings): Pattern => {
    const begins = at.afterText ? spacing.moneyBegins : spacing.numberBegins
    const sign = oneOf(isOneOf('-+'), any)
    const number = (space: Spacing): Pattern => ({
      type: 'gap',
      name,
      part: isSigned ? choice(sequence(sign, numberFrom(glued)), numberFrom(space)) : numberFrom(space),
    })
    const currency = (space: Spacing): Pattern => ({
      type: 'gap',
      name: name + currencyMark,
      part: choice(
        ...currencyWordsOf(at.currency, at.currencyWords)
          .filter(([, code]) => option !== 'home' || code === at.currency)
          .map(([each]) =>
            /\p{L}$/u.test(each) && option !== 'glued' ? sequence(word(each, space), endOf('word')) : word(each, space),
          ),
      ),
    })
    const after = sequence(currency(any), optional(oneOf(isOneOf('.'), glued)))
    switch (option) {
      case 'before':
        return sequence(currency(at.space), number(any))
      case 'bare':
        return sequence(number(begins), optional(after))
      default:
        return sequence(number(begins), after)
    }
  }

const zoneName = (space: Spacing): Pattern =>
  sequence(choice(word(fold('мск'), space), word('msk', space)), endOf('word'))
const zone = optional(
  choice(zoneName(any), sequence(oneOf(isOneOf('('), any), zoneName(glued), oneOf(isOneOf(')'), glued))),
)
const clock = (space: Spacing): Pattern =>
  sequence(
    oneOrTwo(space),
    oneOf(isOneOf(':'), glued),
    exactly(2, isDigit, glued),
    optional(sequence(oneOf(isOneOf(':'), glued), exactly(2, isDigit, glued))),
    zone,
  )
const months = [
  ...['января', 'февраля', 'марта', 'апреля', 'мая', 'июня', 'июля', 'августа', 'сентября', 'октября', 'ноября'],
  ...['декабря', 'янв', 'фев', 'мар', 'апр', 'июн', 'июл', 'авг', 'сен', 'окт', 'ноя', 'дек'],
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november'],
  ...['december', 'jan', 'feb', 'mar', 'apr', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
]
const dateMark = oneOf(isOneOf('./-'), glued)
const date = (space: Spacing): Pattern =>
  choice(
    sequence(
      oneOrTwo(space),
      dateMark,
      exactly(2, isDigit, glued),
      optional(sequence(dateMark, exactly(2, isDigit, glued), optional(exactly(2, isDigit, glued)))),
    ),
    sequence(exactly(4, isDigit, space), dateMark, exactly(2, isDigit, glued), dateMark, exactly(2, isDigit, glued)),
    // 3 сентября, and 3 сентября 2026
    sequence(
      oneOrTwo(space),
      choice(...months.map((month) => word(fold(month), apart))),
      endOf('word'),
      optional(exactly(4, isDigit, apart)),
    ),
  )
const between = optional(oneOf(isOneOf(','), glued))
const moment = (space: Spacing): Pattern =>
  choice(
    sequence(date(space), between, clock(any)),
    sequence(clock(space), between, date(any)),
    date(space),
    clock(space),
  )

const atNumber =
  (build: (space: Spacing) => Pattern, of: EndOf) =>
  (name: string, _option: string, at: GapSurroundings): Pattern => ({
    type: 'gap',
    name,
    part: longest(sequence(build(at.afterText ? spacing.numberBegins : at.space), endOf(of))),
  })

const account = (space: Spacing): Pattern => {
  const mask = isOneOf("*#'-")
  const masks = optional(repeat(oneOf(mask, any)))
  const lastDigits = sequence(exactly(3, isDigit, any), optional(upTo(3, oneOf(isDigit, glued))))
  const masked = (first: Pattern): Pattern => sequence(first, oneOf(mask, glued), masks, lastDigits)
  return choice(
    sequence(oneOf(isOneOf('*#'), any), masks, lastDigits),
    masked(digits(space)),
    masked(sequence(oneOf(isLetter, space), optional(oneOf(isLetter, glued)))),
    sequence(exactly(3, isDigit, space), optional(repeat(oneOf(isDigit, glued)))),
  )
}

const isNameMark = isOneOf("-'")
/** A word of two letters or more. */
const nameWord = (space: Spacing): Pattern =>
  sequence(
    oneOf(isLetter, space),
    repeat(choice(oneOf(isLetter, glued), sequence(oneOf(isNameMark, glued), oneOf(isLetter, glued)))),
    endOf('word'),
  )
const initial = (space: Spacing, dot: Pattern): Pattern => sequence(oneOf(isLetter, space), endOf('word'), dot)
const dot = oneOf(isOneOf('.'), glued)

/**
 * A name of up to four words, whose last one is an initial: `Анна Павловна К.`, `Куприн Е.В.` With the option `open`, the
 * point may be missing after two words.
 */
const person = (name: string, option: string, at: GapSurroundings): Pattern => {
  const whole = sequence(
    nameWord(at.space),
    optional(upTo(3, nameWord(apart))),
    initial(apart, dot),
    optional(initial(glued, dot)),
  )
  const withoutPoint = sequence(nameWord(at.space), upTo(3, nameWord(apart)), initial(apart, sequence()))
  return { type: 'gap', name, part: option === 'open' ? choice(whole, withoutPoint) : whole }
}

/** A name of up to five words; initials may be among them. */
const anyName = (name: string, _option: string, at: GapSurroundings): Pattern => {
  const part = (space: Spacing): Pattern => choice(nameWord(space), initial(space, optional(dot)))
  return {
    type: 'gap',
    name,
    part: sequence(nameWord(at.space), optional(upTo(4, part(apart))), optional(initial(glued, dot))),
  }
}

const textOf =
  (is: CharacterClass, first: CharacterClass = is) =>
  (name: string, _option: string, at: GapSurroundings): Pattern => ({
    type: 'gap',
    name,
    part: sequence(oneOf(first, at.space), optional(repeat(oneOf(is, any)))),
  })

/** Text without spaces. */
const glue =
  (is: CharacterClass, first: CharacterClass) =>
  (name: string, _option: string, at: GapSurroundings): Pattern => ({
    type: 'gap',
    name,
    part: sequence(oneOf(first, at.space), optional(repeat(oneOf(is, glued)))),
  })

const isBankLetter = either(isLetter, isDigit)

type Build = (name: string, option: string, at: GapSurroundings) => Pattern

const isOfBank = either(isLetter, isOneOf('-_.()"\'&'))
/** Digits only go on a word. */
const bankCharacters = optional(repeat(choice(oneOf(isOfBank, any), oneOf(isDigit, glued))))
const anyBank = (name: string, at: GapSurroundings): Pattern => ({
  type: 'gap',
  name,
  part: sequence(oneOf(either(isLetter, isOneOf('"')), at.space), oneOf(isOfBank, any), bankCharacters),
})

/** Banks without the word in their names. */
const knownBanks = ['ПСБ', 'ВТБ', 'РНКБ', 'МКБ', 'Тинькофф', 'Tinkoff', 'VTB']

/** A name of a bank; with the option `named`, one that has the word or is known. */
const bankName = (name: string, option: string, at: GapSurroundings): Pattern => {
  if (option !== 'named') return anyBank(name, at)
  const bankWord = (space: Spacing): Pattern => choice(word(fold('банк'), space), word('bank', space))
  const begin = sequence(oneOf(isLetter, at.space), bankCharacters)
  const known = knownBanks.map((each) => sequence(word(fold(each), at.space), endOf('word')))
  return {
    type: 'gap',
    name,
    part: choice(
      ...known,
      sequence(optional(begin), bankWord(any), endOf('word')),
      sequence(bankWord(at.space), oneOf(isLetter, apart), repeat(oneOf(isLetter, glued)), endOf('word')),
    ),
  }
}

/**
 * The gaps by name. `isText`: it may be any text, so that numbers after it begin where they cannot be cut. `isForeign`:
 * others choose what it says, so that a credit is not read if it has the words of another operation.
 */
export const gaps: Readonly<
  Record<string, { readonly build: Build; readonly isText?: true; readonly isForeign?: true }>
> = {
  amount: { build: money(false) },
  balance: { build: money(true) },
  fee: { build: money(false) },
  /** Money that is no field, for example in another currency. */
  sum: { build: money(true) },
  account: { build: atNumber(account, 'digits') },
  /** The whole number of a contract. */
  contract: { build: glue(either(isLetter, isDigit, isOneOf('-')), isBankLetter), isForeign: true },
  /** A card or account that is no field: digits and masks. */
  card: { build: textOf(either(isDigit, isOneOf('*x#-')), either(isDigit, isOneOf('*x#'))) },
  time: { build: atNumber(moment, 'number') },
  date: { build: atNumber(date, 'number') },
  clock: { build: atNumber(clock, 'number') },
  /** A time that is no field. */
  moment: { build: atNumber(moment, 'number') },
  phone: {
    build: (name, _option, at) => ({
      type: 'gap',
      name,
      part: sequence(optional(oneOf(isOneOf('+'), any)), exactly(9, isDigit, at.space), upTo(6, oneOf(isDigit, glued))),
    }),
  },
  person: { build: person, isForeign: true },
  name: { build: anyName, isForeign: true },
  /** A name that is no field, such as the owner's. */
  owner: { build: anyName, isForeign: true },
  /** A payer that is no person. */
  payer: { build: textOf(either(isLetter, isOneOf('-"\'().& ')), isLetter), isText: true, isForeign: true },
  bank: { build: bankName, isText: true, isForeign: true },
  comment: { build: textOf(isAny), isText: true },
  /** A comment whose last point is the bank's. */
  message: { build: textOf(isAny), isText: true },
  /** A merchant, a cash machine or a terminal. */
  text: { build: textOf(isAny), isText: true, isForeign: true },
  word: { build: textOf(isLetter), isForeign: true },
  /** An address of a page. */
  link: { build: glue(isAny, isLetter) },
  /** What a broken encoding leaves after a text. */
  garbage: { build: glue(isAny, (code) => code === 0xfffd), isForeign: true },
  digits: { build: atNumber(digits, 'digits') },
  /** Letters and digits of an identifier that is no secret. */
  reference: { build: glue(either(isBankLetter, isOneOf('-')), isBankLetter) },
}

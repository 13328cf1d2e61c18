import { normalText } from './normal-text.ts'

/** How messages write the currencies; longer words come before their beginnings. */
const written: Readonly<Record<string, readonly string[]>> = {
  rub: ['рублей', 'рубля', 'рубль', 'руб', 'RUB', 'RUR', '₽'],
  amd: ['AMD', '֏', 'դր'],
  azn: ['AZN', '₼'],
  byn: ['BYN', 'BYR', 'бел.руб'],
  gel: ['GEL', '₾', 'ლარი'],
  kgs: ['KGS', 'сом', '⃀'],
  kzt: ['KZT', 'тенге', 'тг', '₸'],
  tjs: ['TJS', 'сомонӣ', 'сомони', 'смн'],
  try: ['TRY', 'TL', '₺'],
  uah: ['UAH', 'грн', '₴'],
  uzs: ['UZS', "so'm", 'сўм', 'сум', 'sum'],
  usd: ['USD', '$'],
  eur: ['EUR', '€'],
  gbp: ['GBP', '£'],
  cny: ['CNY', '¥'],
}

/** Letters that mean a currency only in messages of its country. */
const letters: Readonly<Record<string, readonly string[]>> = { rub: ['р'], kzt: ['т'] }

const fold = (word: string): string => normalText(word).folded

const codes = new Map(
  Object.entries(written).flatMap(([code, words]) => words.map((word): [string, string] => [fold(word), code])),
)

/** Whether a folded word is a currency in any message. */
export const isCurrencyWord = (word: string): boolean => codes.has(word) || word === fold('р')

/** The words of a bank for currencies, folded, with their codes; longer words come first. */
export const currencyWordsOf = (
  home: string,
  own: Readonly<Record<string, string>> = {},
): readonly (readonly [string, string])[] =>
  [
    ...codes,
    ...(letters[home] ?? []).map((word) => [fold(word), home] as const),
    ...Object.entries(own).map(([word, code]) => [fold(word), code] as const),
  ].toSorted(([a], [b]) => b.length - a.length)

/** Masked account, card or phone number: only its last four characters stay (`•••• 4821`). */
export const maskNumber = (value: string): string => {
  const digits = value.replace(/\D/g, '')
  return digits.length <= 4 ? '••••' : `•••• ${digits.slice(-4)}`
}

/** Masked payer-side number for `sourcePan`: `*` for each hidden digit (`*******4567`). */
export const maskSource = (value: string): string => {
  const digits = value.replace(/\D/g, '')
  return digits.length <= 4 ? '*'.repeat(digits.length) : `${'*'.repeat(digits.length - 4)}${digits.slice(-4)}`
}

/** A text with the numbers of accounts, cards and phones in it masked; `null` stays `null`. */
export const maskNumbers = (text: string | null): string | null => text?.replace(/\d[\d -]{7,}\d/g, maskSource) ?? null

// The forms of Russian patronymics: a name of three words with one at its end begins with the family name.
const patronymic = /(?:вич|ьич|вна|чна|шна|оглы|кызы)$/iu

/**
 * Whether a name is an organisation's. Its full form is public, and a payer has to find it whole. Recognised by quotation
 * marks and by the words and letters of legal forms; anything else is taken for a person.
 */
export const isOrganisation = (name: string): boolean =>
  /["«»“”„]|(?:^|[\s,.])(?:ООО|АО|ПАО|ОАО|ЗАО|НКО|АНО|ТОО|LLC|LLP|Ltd|Inc|GmbH|JSC|PLC|PJSC|OOO|общество|фонд|company)(?=$|[\s,.])/iu.test(
    name,
  )

/**
 * A person's name with its family name reduced to one letter, as banks show it to a payer: `Ivan P.`, `Иван Сергеевич П.`.
 * The family name is the last word, or the first of three when the last is a patronymic (`Петров Иван Сергеевич`); `ИП`
 * stands before it as it is. An organisation's name stays whole.
 */
export const maskHolder = (name: string): string => {
  if (isOrganisation(name)) return name.trim()
  const entrepreneur = /^\s*(?:индивидуальный предприниматель|ИП)\s+/iu
  const words = name.replace(entrepreneur, '').trim().split(/\s+/)
  const shown = entrepreneur.test(name) ? ['ИП'] : []
  const isFamilyFirst = words.length === 3 && patronymic.test(words[2] ?? '')
  const family = words.length === 1 ? undefined : isFamilyFirst ? words.shift() : words.pop()
  return [...shown, ...words, ...(family === undefined ? [] : [`${[...family][0]}.`])].join(' ')
}

/**
 * A payer's name as its initials: banks write the family name first or last, so that no word of it is certainly not the
 * family name. An organisation's name stays whole.
 */
export const maskPayer = (name: string): string =>
  isOrganisation(name)
    ? name.trim()
    : [...name.matchAll(/\p{L}[\p{L}\p{M}'’-]*/gu)].map(([word]) => `${[...word][0]}.`).join(' ')

/** Masked account, card or phone number: only its last four characters are visible (`•••• 4821`). */
export const maskNumber = (value: string): string => {
  const digits = value.replace(/\D/g, '')
  return digits.length <= 4 ? '••••' : `•••• ${digits.slice(-4)}`
}

/** Masked payer-side number for `sourcePan`: `*` for each hidden digit (`*******4567`). */
export const maskSource = (value: string): string => {
  const digits = value.replace(/\D/g, '')
  return digits.length <= 4 ? '*'.repeat(digits.length) : `${'*'.repeat(digits.length - 4)}${digits.slice(-4)}`
}

/** An address without what may contain a key: its path, query and password (`https://rates.example.com/…`). */
export const maskAddress = (url: string): string => {
  if (!URL.canParse(url)) return '…'
  const { origin } = new URL(url)
  return [origin, `${origin}/`].includes(url) ? url : `${origin}/…`
}

const anyNumber = /\d[\d -]{7,}\d/g

/** A text in which the numbers of accounts, cards and phones are masked; `null` stays `null`. */
export const maskNumbers = (text: string | null): string | null => text?.replace(anyNumber, maskSource) ?? null

/** The digits of each number that `maskNumbers` masks. */
export const numbersIn = (text: string): string[] =>
  [...text.matchAll(anyNumber)].map(([number]) => number.replace(/\D/g, ''))

/** The same for a text that may contain one known number, whatever is written between its digits. */
export const maskKnownNumber = (text: string, number: string): string => {
  // Instead of its first 7, people write 8 or nothing before a phone.
  const digits = number.replace(/\D/g, '').replace(/^7(?=\d{10}$)/, '')
  const masked = digits.length <= 4 ? text : text.replace(new RegExp([...digits].join('\\D*'), 'g'), maskSource)
  return maskNumbers(masked) ?? ''
}

/**
 * Whether a name is an organisation's, whose full form is public and must be shown to the payer in full. Organisations
 * are recognised by quotation marks and by the words and letters of legal forms; anything else counts as a person.
 */
export const isOrganisation = (name: string): boolean =>
  /["«»“”„]|(?:^|[\s,.])(?:ООО|АО|ПАО|ОАО|ЗАО|НКО|АНО|ТОО|LLC|LLP|Ltd|Inc|GmbH|JSC|PLC|PJSC|OOO|общество|фонд|company)(?=$|[\s,.])/iu.test(
    name,
  )

/**
 * A payer's name as initials: banks write the family name first or last, so any word may be the family name. An
 * organisation's name stays whole.
 */
export const maskPayer = (name: string): string =>
  isOrganisation(name)
    ? name.trim()
    : [...name.matchAll(/\p{L}[\p{L}\p{M}'’-]*/gu)].map(([word]) => `${[...word][0]}.`).join(' ')

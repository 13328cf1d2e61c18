/**
 * An account, card or phone number as people see it everywhere: only its last four digits (`•••• 4821`). One that
 * `maskSource` has masked may be given, too.
 */
export const maskNumber = (value: string): string => {
  const digits = value.replace(/[^\d*]/g, '')
  return digits.length <= 4 ? '••••' : `•••• ${digits.slice(-4)}`
}

/** The same; nothing for a number that is not known. */
export const maskIfKnown = (value: string): string => (value === '' ? '' : maskNumber(value))

/** The number of a payer or payee as it is stored: `*` for each hidden digit (`*******4567`). Its length is evidence. */
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

/** What people write between the digits of a number. */
const gap = String.raw`[\s().\u2010-\u2015/-]{1,3}`

/** What has the groups of a phone, card or account, whatever is between them: dates, amounts and orders stay readable. */
export const groupedNumber = String.raw`(?<!\d)(?:${[
  // 8.916.123.45.67, 8(916)1234567
  String.raw`[78]${gap}\d{3}(?:${gap})?\d{3}(${gap}|)\d{2}\1?\d{2}`,
  // +380(44)123-45-67, 8(4852)12-34-56
  String.raw`(?:(?<=\+)\d{1,3}|[78])[\s-]?\(\d{2,5}\)(?:${gap})?\d{1,3}(${gap}|)\d{2}\2?\d{2}`,
  // 916.123.45.67
  String.raw`\d{3}${gap}\d{3}(${gap})\d{2}\3\d{2}`,
  // 2200/7702/3903/1232
  String.raw`\d{4}(?:${gap}\d{4}){3,4}`,
  // 40817.810.0.9991.0004321
  String.raw`\d{5}${gap}\d{3}${gap}\d(?:${gap})?\d{4}(?:${gap})?\d{7}`,
  // +375.29.123.45.67, 998.90.123.4567
  String.raw`(?:37\d|38\d|99\d)${gap}\d{2}${gap}\d{3}(${gap})\d{2}(?:\4)?\d{2}`,
  // 8.916.12.34.567
  String.raw`[78]${gap}\d{3}(?:${gap})?\d{2}(${gap}|)\d{2}\5?\d{3}`,
  // (916)1234567
  String.raw`(?<=\()\d{3}\)(?:${gap})?\d{3}(${gap}|)\d{2}\6?\d{2}`,
].join('|')})(?!\d)`

/** The same, and any long run of digits, spaces and hyphens. */
const anyNumber = new RegExp(String.raw`${groupedNumber}|\d[\d -]{7,}\d`, 'g')

/** A text in which the numbers of accounts, cards and phones are masked; `null` stays `null`. */
export const maskNumbers = (text: string | null): string | null => text?.replace(anyNumber, maskNumber) ?? null

/** The digits of each number that `maskNumbers` masks. */
export const numbersIn = (text: string): string[] =>
  [...text.matchAll(anyNumber)].map(([number]) => number.replace(/\D/g, ''))

/** The same for a text that may contain one known number, whatever is written between its digits. */
export const maskKnownNumber = (text: string, number: string): string => {
  // Instead of its first 7, people write 8 or nothing before a phone.
  const digits = number.replace(/\D/g, '').replace(/^7(?=\d{10}$)/, '')
  const masked = digits.length <= 4 ? text : text.replace(new RegExp([...digits].join('\\D*'), 'g'), maskNumber)
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

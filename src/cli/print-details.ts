const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A name of code as words: `bankReference` is `bank reference`. */
const toWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const printEntries = (value: Readonly<Record<string, unknown>>, separator: string): string =>
  Object.entries(value)
    .filter(([, member]) => member !== null && member !== '')
    .map(([name, member]) => `${toWords(name)} ${printValue(member)}`)
    .join(separator)

const printValue = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isObject(value)) return Object.keys(value).length === 0 ? 'nothing' : `(${printEntries(value, ', ')})`
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? 'none' : value.map(printValue).join(', ')
}

/** Names and values in one line for people: `reason checked; amount 5; shares (order id order-42, amount 5)`. */
export const printDetails = (details: object): string =>
  isObject(details) ? printEntries(details, '; ') : printValue(details)

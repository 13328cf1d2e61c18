// Numbers of Russian banks, accounts and taxpayers carry check digits, so that a typing error is caught before money is
// sent.

const sumOf = (digits: string, weights: readonly number[]): number =>
  [...digits].reduce((sum, digit, index) => sum + Number(digit) * (weights[index % weights.length] ?? 0), 0)

const taxKey = (digits: string, weights: readonly number[]): number => (sumOf(digits, weights) % 11) % 10

const organisationWeights = [2, 4, 10, 3, 5, 9, 4, 6, 8]
const personWeights = [3, 7, ...organisationWeights]

/** Whether a text is an INN: ten digits for an organisation or twelve for a person, with correct check digits. */
export const isInn = (text: string): boolean => {
  const key = (length: number, weights: readonly number[]) => taxKey(text.slice(0, length), weights)
  if (/^\d{10}$/.test(text)) return key(9, organisationWeights) === Number(text[9])
  const last = personWeights.slice(1)
  return /^\d{12}$/.test(text) && key(10, last) === Number(text[10]) && key(11, personWeights) === Number(text[11])
}

/** Whether a text has the form of a KPP, which only organisations have. */
export const isKpp = (text: string): boolean => /^\d{4}[\dA-Z]{2}\d{3}$/.test(text)

/** Whether a text has the form of a BIC of the Bank of Russia. */
export const isBic = (text: string): boolean => /^0\d{8}$/.test(text)

/** The key of an account at the Bank of Russia uses the BIC's region; at any other bank, the BIC's last digits. */
const keyedAs = (account: string, bic: string): string =>
  account.startsWith('30101') || /00[0-2]$/.test(bic) ? `0${bic.slice(4, 6)}` : bic.slice(6)

const accountKey = (account: string, bic: string): number => sumOf(keyedAs(account, bic) + account, [7, 1, 3]) % 10

/** Whether the check digit of a 20-digit account fits its bank's BIC (Bank of Russia, rules 515 of 1997). */
export const fitsBic = (account: string, bic: string): boolean =>
  /^\d{20}$/.test(account) && isBic(bic) && accountKey(account, bic) === 0

/** Whether an account is the correspondent account of the bank with this BIC: it repeats the BIC's last digits. */
export const isCorrespondentOf = (account: string, bic: string): boolean =>
  account.startsWith('301') && account.endsWith(bic.slice(6)) && fitsBic(account, bic)

/** The account with the check digit (its ninth digit) that fits a BIC. */
export const withAccountKey = (account: string, bic: string): string => {
  const withKey = (key: number): string => account.slice(0, 8) + key + account.slice(9)
  // Its weight is 3, and 3 × 7 ends in 1.
  return withKey(((10 - accountKey(withKey(0), bic)) * 7) % 10)
}

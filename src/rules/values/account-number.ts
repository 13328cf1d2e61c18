/** The check digit of a card number whose other digits are `body` (Luhn, ISO/IEC 7812-1). */
export const luhnDigit = (body: string): number => {
  const sum = body.split('').reduce((total, digit, index) => {
    const doubled = Number(digit) * ((body.length - index) % 2 === 1 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return (10 - (sum % 10)) % 10
}

/** Whether the check digit of a card number fits the others. */
export const isCardNumber = (digits: string): boolean =>
  /^\d{16,19}$/.test(digits) && luhnDigit(digits.slice(0, -1)) === Number(digits.at(-1))

/**
 * Whether a sender's number is that of a card or of an account or phone; `undefined` if it is masked or short:
 * strangers may share the visible digits.
 */
export const senderKind = (number: string): 'account' | 'card' | undefined => {
  const digits = accountDigits(number)
  if (/[*•#…]|x{2,}/i.test(number) || digits.length < 5) return undefined
  return isCardNumber(digits) ? 'card' : 'account'
}

/** The digits of a payer's number, however it was written; a Russian phone begins with 7 even if the bank wrote 8. */
export const accountDigits = (number: string): string => {
  const digits = number.replace(/\D/g, '')
  return /^8\d{10}$/.test(digits) ? `7${digits.slice(1)}` : digits
}

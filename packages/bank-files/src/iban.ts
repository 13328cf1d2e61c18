/** Whether a text is an IBAN with right check digits (ISO 13616): letters are numbers from 10 on, modulo 97. */
export const isIban = (text: string): boolean => {
  if (!/^[A-Z]{2}(?!0[01]|99)\d{2}[A-Z0-9]{11,30}$/.test(text)) return false
  const signs = [...text.slice(4), ...text.slice(0, 4)]
  return BigInt(signs.map((sign) => Number.parseInt(sign, 36)).join('')) % 97n === 1n
}

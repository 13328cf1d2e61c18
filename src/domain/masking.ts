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

/** A person's name with its family name reduced to one letter (`Ivan P.`), as banks show it to a payer. */
export const maskHolder = (name: string): string => {
  const [first = '', ...rest] = name.trim().split(/\s+/)
  const last = rest.at(-1)
  return last ? `${first} ${[...last][0]}.` : first
}

import { letters, type LineFault, plainAccount } from 'bank-files/pure'
import { Refusal } from '../refusal.ts'

const toError = ({ line, reason }: LineFault) => ({
  field: `line ${line}`,
  code: 'statement_refused',
  message: reason,
})

/** The refusal of a whole file with its faults; the first one is in the message. */
export const refuseStatement = (faults: readonly LineFault[]): Refusal => {
  const [first] = faults
  const others = faults.length - 1
  const more = others > 0 ? ` There ${others === 1 ? 'is 1 more fault' : `are ${others} more faults`}.` : ''
  const text = first ? `Line ${first.line}: ${first.reason}${more}` : 'The file cannot be read.'
  return new Refusal('statement_refused', `${text} Nothing was imported.`, { errors: faults.map(toError) })
}

/**
 * The spellings of an account number to look up: whole, and at last without what stands before or after a slash, such
 * as the code of its bank or its currency.
 */
export const accountSpellings = (account: string): string[] => {
  const last = account.split('/').findLast((part) => /\d/.test(part)) ?? ''
  return [...new Set([plainAccount(account), plainAccount(last)])].filter((each) => each !== '')
}

const bankName = (name: string): string =>
  letters(name.replace(/(?<!\p{L})(?:ПАО|АО|ООО|ЗАО|ОАО|НКО|JSC|PJSC|LLC)(?!\p{L})/giu, ''))

/** The code of the bank with one of these identifiers or names; `undefined` if it is unknown. */
export const findBank = (
  counterpartyBank: readonly string[],
  banks: Iterable<{
    readonly code: string
    readonly name: string
    readonly bic: string | null
    readonly sbpMemberId: string | null
  }>,
): string | undefined => {
  if (counterpartyBank.length === 0) return undefined
  const identifiers = new Set(counterpartyBank.map(plainAccount))
  const names = new Set(counterpartyBank.map(bankName).filter((name) => name !== ''))
  let named: string | undefined
  for (const { code, name, bic, sbpMemberId } of banks) {
    if ((bic !== null && identifiers.has(bic)) || (sbpMemberId !== null && identifiers.has(sbpMemberId))) return code
    if (names.has(bankName(name))) named ??= code
  }
  return named
}

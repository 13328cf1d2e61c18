import { writeStatement1c } from './statement-1c.ts'
import { writeStatementCamt } from './statement-camt.ts'
import type { WrittenStatement } from './written-statement.ts'

/** The formats in which the statement of an account can be written. */
export const writtenFormats = ['1c', 'camt.053'] as const
export type WrittenFormat = (typeof writtenFormats)[number]

const write: Readonly<Record<WrittenFormat, (statement: WrittenStatement) => Uint8Array<ArrayBuffer>>> = {
  '1c': writeStatement1c,
  'camt.053': writeStatementCamt,
}

/** Why a format cannot have a statement; `undefined` if it can. */
export const checkWritten = (
  format: WrittenFormat,
  { currency, owner, opening }: Pick<WrittenStatement, 'currency' | 'owner' | 'opening'>,
): string | undefined => {
  const account = owner.account ?? ''
  if (format === '1c') {
    if (currency !== 'rub') return 'Statements in 1C are of accounts in roubles.'
    return /^\d{20}$/.test(account) ? undefined : 'Nobody knows an account of 20 digits.'
  }
  if (!/^[0-9A-Za-z]{1,34}$/.test(account)) return 'Nobody knows the account.'
  if (!/^[a-z]{3}$/.test(currency)) return 'Currencies in camt.053 have three letters.'
  return opening === null ? 'Nobody knows what the account held, and camt.053 needs its balances.' : undefined
}

/**
 * The statement of an account as a bank would write it, for accounting programs. The same statement gives the same
 * bytes. Throws a `TypeError` for what `checkWritten` refuses.
 */
export const writeStatement = (format: WrittenFormat, statement: WrittenStatement): Uint8Array<ArrayBuffer> => {
  const fault = checkWritten(format, statement)
  if (fault !== undefined) throw new TypeError(fault)
  return write[format](statement)
}

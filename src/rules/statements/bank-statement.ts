import { type WrittenStatement, writeStatement, writtenFormats } from 'bank-files/pure'
import { csvLine } from '../values/csv.ts'
import { amountDigits } from '../values/currency.ts'

/** The formats in which the statement of a bank account is exported. */
export const bankStatementFormats = [...writtenFormats, 'csv'] as const
export type BankStatementFormat = (typeof bankStatementFormats)[number]

/** How the file of a format ends, and its type. */
export const bankStatementFiles = {
  '1c': { ending: 'txt', type: 'text/plain; charset=windows-1251' },
  'camt.053': { ending: 'xml', type: 'application/xml; charset=utf-8' },
  csv: { ending: 'csv', type: 'text/csv; charset=utf-8' },
} as const satisfies Readonly<Record<BankStatementFormat, object>>

/** Most entries of a statement. */
export const mostEntries = 50_000

const columns = [
  ...['account', 'booked', 'credit', 'debit', 'currency', 'counterparty', 'counterparty account', 'counterparty bank'],
  ...['purpose', 'reference', 'reversal', 'balance'],
]

const toCsv = ({ owner, currency, opening, entries }: WrittenStatement): Uint8Array<ArrayBuffer> => {
  const digits = (amount: bigint): string => amountDigits(amount, currency)
  let balance = opening
  const lines = entries.map(({ booked, direction, amount, counterparty, text, reference, isReversal }) => {
    const isCredit = direction === 'credit'
    if (balance !== null) balance += isCredit ? amount : -amount
    return csvLine([
      ...[owner.account, booked.replace('T', ' '), isCredit ? digits(amount) : null, isCredit ? null : digits(amount)],
      ...[currency.toUpperCase(), counterparty.name, counterparty.account, counterparty.bank?.name ?? null],
      ...[text, reference, isReversal ? 'yes' : null, balance === null ? null : digits(balance)],
    ])
  })
  return new TextEncoder().encode(csvLine(columns) + lines.join(''))
}

/** The statement of a bank account as a file; the same entries give the same bytes. */
export const writeBankStatement = (
  format: BankStatementFormat,
  statement: WrittenStatement,
): Uint8Array<ArrayBuffer> => (format === 'csv' ? toCsv(statement) : writeStatement(format, statement))

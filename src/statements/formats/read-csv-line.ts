import { type CsvMapping, type CsvRole, readCsvAmount, readCsvDate } from '../../domain/csv-mapping.ts'
import { findPhone, present, type RowKind, type StatementRow, tidyText } from '../../domain/statement.ts'
import { type CsvBalance, findBalance, isSumLine, isSumOnly } from './find-balance.ts'

/** The trimmed text of a row in the column of a role; empty where there is no such column. */
export type Cells = (role: CsvRole) => string

type Money = Pick<StatementRow, 'direction' | 'amount'>

const creditWords = /^(?:\+|c|cr|crdt|credit|in|incoming|приход|поступление|зачисление|пополнение|кредит|входящ.*)$/i
const debitWords = /^(?:-|d|dr|dbit|debit|out|outgoing|расход|списание|дебет|исходящ.*|оплата|комиссия)$/i
const pendingWords =
  /pend|hold|в обработке|обрабатыв|ожид|не провед|не исполн|authori|резерв|отклон|отмен|fail|declin|cancel|reject/i
const reversalWords = /revers|сторно|отозван|возврат|chargeback/i
const bookedWords =
  /^(?:ok|ок|book(?:ed)?|completed?|posted|settled|success.*|done|исполнен.*|провед[её]н.*|выполнен.*|успешн.*|зачислен.*|оплачен.*)$/i

const kindOf = (status: string): RowKind | undefined => {
  if (status === '') return 'booked'
  if (pendingWords.test(status)) return 'pending'
  if (reversalWords.test(status)) return 'reversal'
  return bookedWords.test(status) ? 'booked' : undefined
}

const isZero = (amount: string): boolean => /^[-0.]*$/.test(amount)
const withoutSign = (amount: string): string => amount.replace(/^-/, '')
const signed = (amount: string): Money => ({
  direction: amount.startsWith('-') ? 'debit' : 'credit',
  amount: withoutSign(amount),
})

/** The money of a row; `undefined` for a row without any, a text where it cannot be read. */
const readMoney = (cell: Cells, { decimalMark }: CsvMapping): Money | string | undefined => {
  const found: Partial<Record<CsvRole, string>> = {}
  for (const role of ['amount', 'credit', 'debit'] as const) {
    const amount = readCsvAmount(cell(role), decimalMark)
    if (amount === undefined && cell(role) !== '' && !/^[-–—]$/.test(cell(role)))
      return `"${cell(role).slice(0, 40)}" is not an amount.`
    if (amount !== undefined && !isZero(amount)) found[role] = amount
  }
  const { credit, debit, amount } = found
  if (credit !== undefined && debit !== undefined) return 'The row has both a credit and a debit.'
  if (credit !== undefined) return signed(credit)
  if (debit !== undefined) return { direction: 'debit', amount: withoutSign(debit) }
  if (amount === undefined) return undefined
  const word = cell('direction')
  if (creditWords.test(word)) return { direction: 'credit', amount: withoutSign(amount) }
  if (debitWords.test(word)) return { direction: 'debit', amount: withoutSign(amount) }
  return signed(amount)
}

// What a transfer says and a line of a sum does not.
const transferRoles = ['reference', 'number', 'payerName', 'payerNumber', 'payerBank', 'text'] as const

/**
 * Whether a line is a row, and not one of a sum or balance: it has a date and an amount, and says something else. Payers
 * write what they like, so the words that it begins with do not count.
 */
const isRow = (cells: readonly string[], cell: Cells): boolean =>
  transferRoles.some((role) => cell(role) !== '' && !isSumOnly(cell(role))) || !cells.some(isSumOnly)

/** Reads a line of a CSV: a row, a balance, `undefined` for another line of sums, a text where it cannot be read. */
export const readCsvLine = (
  cells: readonly string[],
  cell: Cells,
  line: number,
  mapping: CsvMapping,
): { readonly row: StatementRow } | { readonly balance: CsvBalance } | string | undefined => {
  const booked = readCsvDate(cell('date'), mapping.dateOrder, cell('time'))
  const money = readMoney(cell, mapping)
  if (booked === undefined || typeof money !== 'object' || !isRow(cells, cell)) {
    const balance = findBalance(cells, mapping.decimalMark)
    if (balance) return { balance }
    if (isSumLine(cells)) return undefined
  }
  if (booked === undefined) return `"${cell('date').slice(0, 40)}" is not a date of this file's form.`
  if (typeof money === 'string') return money
  if (money === undefined) return 'The row has no amount.'
  const kind = kindOf(cell('status'))
  if (kind === undefined) return `The status "${cell('status').slice(0, 40)}" is not known.`
  const text = tidyText(cell('text'))
  const reference = tidyText(cell('reference'))
  const row: StatementRow = {
    ...{ line, kind, ...money, booked, text, reference },
    account: tidyText(cell('account')),
    currency: tidyText(cell('currency'))?.toLowerCase() ?? null,
    referenceKind: reference === null ? null : 'csv',
    number: tidyText(cell('number')),
    counterparty: {
      name: tidyText(cell('payerName')),
      number: tidyText(cell('payerNumber')) ?? findPhone(text),
      bank: present(tidyText(cell('payerBank'))),
    },
  }
  return { row }
}

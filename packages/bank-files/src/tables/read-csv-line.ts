import { type CsvRole, describingRoles } from './csv-columns.ts'
import { dateParts, readCsvDate } from './csv-date.ts'
import { type CsvMapping, readCsvAmount } from './csv-mapping.ts'
import { currencyNextTo, readCurrency } from '../currency.ts'
import { directionOf } from './direction-words.ts'
import type { Counterparty, RowKind, SkippedRow, StatementRow } from '../statement.ts'
import { findPhone, present, tidyText } from '../texts.ts'

/** The trimmed text of a row in the column with a role; empty if there is no such column. */
export type Cells = (role: CsvRole) => string

/** The columns that may have an amount. */
export const amountRoles = ['amount', 'credit', 'debit'] as const

type Money = Pick<StatementRow, 'direction' | 'amount'>
type Fault = { readonly reason: string }

/** The signs of the rows so far. */
export type Marks = {
  /** Whether any amount had a sign. */
  sign: boolean
  /** Whether debits have a minus; `undefined` before the first one. */
  debitMinus: boolean | undefined
}

const pendingWords =
  /pend|hold|vorgemerkt|в обработке|обрабатыв|ожид|не провед|не исполн|authori|резерв|отклон|отмен|fail|declin|cancel|reject|revert/i
const reversalWords = /revers|сторно|отозван|возврат|chargeback/i
const bookedWords =
  /^(?:ok|ок|book(?:ed)?|(?:umsatz )?gebucht|completed?|posted|settled|success.*|done|исполнен.*|провед[её]н.*|выполнен.*|успешн.*|зачислен.*|оплачен.*)$/i

const kindOf = (status: string): RowKind | undefined => {
  if (status === '') return 'booked'
  if (pendingWords.test(status)) return 'pending'
  if (reversalWords.test(status)) return 'reversal'
  return bookedWords.test(status) ? 'booked' : undefined
}

const isZero = (amount: string): boolean => /^[-+0.]*$/.test(amount)
const withoutSign = (amount: string): string => amount.replace(/^[-+]/, '')

/** Why a debit contradicts those before it: if only some have a minus, that may mark reversals. */
const findMixedSigns = (amount: string, marks: Marks): Fault | undefined => {
  const isMinus = amount.startsWith('-')
  marks.debitMinus ??= isMinus
  if (marks.debitMinus === isMinus) return undefined
  const [before, here] = isMinus ? ['no minus', 'one'] : ['a minus', 'none']
  return {
    reason: `The row is a debit. The debits before it have ${before}, but this one has ${here}, so one of them may be a reversal. Ask the bank which, and correct the row, or change the direction column of the mapping.`,
  }
}

/**
 * The direction of an amount by the word next to it. If the word and a sign contradict each other, neither wins: it is
 * a fault.
 */
const readWord = (amount: string, word: string, mapping: CsvMapping, marks: Marks): Money['direction'] | Fault => {
  const column = mapping.columns.direction
  const shown = `"${word.slice(0, 40)}"`
  const direction = directionOf(word, mapping.directions)
  const [isMinus, isPlus] = [amount.startsWith('-'), amount.startsWith('+')]
  if (word === '' && (isMinus || isPlus)) return isMinus ? 'debit' : 'credit'
  if (word === '' && mapping.allCredits === true) return 'credit'
  if (word === '')
    return {
      reason: `Column "${column}" does not say whether the row is a credit or a debit: fill it in, or say that all amounts without a sign are credits (allCredits).`,
    }
  if (direction === undefined)
    return {
      reason: `${shown} in column "${column}" is not known as credit or debit: add it to the directions of the mapping.`,
    }
  if (direction === 'credit' ? isMinus : isPlus)
    return {
      reason: `${shown} says ${direction}, but the sign of the amount says the opposite: name another direction column in the mapping, or none.`,
    }
  return (direction === 'debit' ? findMixedSigns(amount, marks) : undefined) ?? direction
}

/** The money of a row; `undefined` for a row without any. */
const readMoney = (cell: Cells, mapping: CsvMapping, marks: Marks): Money | Fault | 'zero' | undefined => {
  const found: Partial<Record<CsvRole, string>> = {}
  let isNothing = false
  for (const role of amountRoles) {
    const amount = readCsvAmount(cell(role), mapping.decimalMark)
    if (amount === undefined && cell(role) !== '' && !/^[\p{Pd}−]$/u.test(cell(role)))
      return {
        reason: `"${cell(role).slice(0, 40)}" in column "${mapping.columns[role]}" is not an amount: correct it, or change the mapping if another column has the amounts or another mark comes before the decimals.`,
      }
    if (amount !== undefined && isZero(amount)) isNothing = true
    else if (amount !== undefined) found[role] = amount
  }
  const { credit, debit, amount } = found
  if (credit !== undefined && debit !== undefined)
    return { reason: 'The row has both a credit and a debit: correct it, or the columns of the mapping.' }
  if (credit !== undefined)
    return { direction: credit.startsWith('-') ? 'debit' : 'credit', amount: withoutSign(credit) }
  if (debit !== undefined) return findMixedSigns(debit, marks) ?? { direction: 'debit', amount: withoutSign(debit) }
  if (amount === undefined) return isNothing ? 'zero' : undefined
  if (mapping.columns.direction !== undefined) {
    const direction = readWord(amount, cell('direction'), mapping, marks)
    return typeof direction === 'string' ? { direction, amount: withoutSign(amount) } : direction
  }
  marks.sign ||= /^[-+]/.test(amount)
  return { direction: amount.startsWith('-') ? 'debit' : 'credit', amount: withoutSign(amount) }
}

/** The currency in the money's cell or column name; a separate currency column applies to the other rows. */
const readOwnCurrency = (cell: Cells, { columns }: CsvMapping): string | null => {
  const role = amountRoles.find((each) => /[1-9]/.test(cell(each)))
  if (role === undefined) return null
  return currencyNextTo(cell(role).toUpperCase()) ?? currencyNextTo(String(columns[role]))
}

/** The other side of a row: the payer of money in, the payee of money out. */
const readCounterparty = (
  cell: Cells,
  direction: Money['direction'],
  kind: RowKind,
  text: string | null,
): Counterparty => {
  const isMoneyIn = (direction === 'credit') === (kind !== 'reversal')
  const [name, number, bank] = isMoneyIn
    ? (['payerName', 'payerNumber', 'payerBank'] as const)
    : (['payeeName', 'payeeNumber', 'payeeBank'] as const)
  // Some banks write the number and, below it, the name in one cell.
  const [, above, below] = /^(\d{10,34})\s*\n(.+)$/s.exec(cell(number)) ?? []
  return {
    name: tidyText(cell(name)) ?? tidyText(below),
    number: tidyText(above ?? cell(number)) ?? findPhone(text),
    bank: present(tidyText(cell(bank))),
  }
}

/** What distinguishes a row: the bank's own reference, or a number that may recur. */
const readNumbers = (cell: Cells): Pick<StatementRow, 'reference' | 'referenceKind' | 'number'> => {
  const reference = tidyText(cell('reference'))
  const number = tidyText(cell('number'))
  const isReference = reference !== null && /[\p{L}\d]/u.test(reference)
  if (isReference) return { reference, referenceKind: 'csv', number }
  return { reference: null, referenceKind: null, number: number ?? reference }
}

/**
 * Whether a line is a row and not a sum or balance: it has a date and an amount, and contains other text. Payers write
 * what they like, so the words that it begins with do not count.
 */
const isRow = (cells: readonly string[], cell: Cells): boolean =>
  describingRoles.some((role) => cell(role) !== '' && !isSumOnly(cell(role))) || !cells.some(isSumOnly)

const written =
  /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2} \p{L}{3,9}\.? \d{4}|\d{1,2}:\d\d(?::\d\d)?|(?:page|страница|стр\.?|лист) \d{1,4}/giu

/**
 * Whether a line consists of one text, such as a footer or a signatory's name. A line that is not split into the
 * table's columns may still be a row, unless its only numbers are dates.
 */
const isNote = (cells: readonly string[]): boolean => {
  const [only = '', ...others] = cells.map((each) => each.trim()).filter((each) => each !== '')
  if (others.length > 0) return false
  if (cells.length > 1 && /^[^\d=+-]*\p{L}{3}/u.test(only)) return true
  return /\p{L}{3}/u.test(only) && !only.startsWith('=') && !/\d/.test(only.replace(written, ''))
}

/** Reads a line of a table: a row, why it is skipped, a balance, a fault, or `undefined` for a
 * line of sums. */
export const readCsvLine = (
  cells: readonly string[],
  cell: Cells,
  line: number,
  mapping: CsvMapping,
  marks: Marks,
): { readonly row: StatementRow } | { readonly balance: CsvBalance } | SkippedRow | Fault | undefined => {
  const booked = readCsvDate(cell('date'), mapping.dateOrder, cell('time'))
  // The signs of a line of sums or a pending row say nothing about the rows.
  const seen = { ...marks }
  const money = readMoney(cell, mapping, seen)
  const isMoney = typeof money === 'object' && 'direction' in money
  if (booked === undefined || !isMoney || !isRow(cells, cell)) {
    const balance = findBalance(cells, mapping.decimalMark)
    if (balance) return { balance }
    if (isSumLine(cells)) return undefined
  }
  if (isNote(cells)) return 'notes'
  const kind = kindOf(cell('status'))
  if (kind === undefined)
    return {
      reason: `The status "${cell('status').slice(0, 40)}" is not known, so the row may not be booked. If it is, leave the status column out of the mapping.`,
    }
  if (kind === 'pending' && (booked === undefined || !isMoney)) return 'pending'
  if (booked === undefined)
    return {
      reason: `"${cell('date').slice(0, 40)}" in column "${mapping.columns.date}" is not a date (${orderWords[mapping.dateOrder]}): correct it, or change the date column or dateOrder in the mapping.`,
    }
  if (money === undefined) return { reason: 'The row has no amount: fill it in, or name its column in the mapping.' }
  if (!isMoney) return money
  if (kind !== 'pending') Object.assign(marks, seen)
  const text = tidyText(cell('text'))
  const row: StatementRow = {
    ...{ line, kind, ...money, booked, text, ...readNumbers(cell) },
    account: tidyText(cell('account')),
    currency: readOwnCurrency(cell, mapping) ?? readCurrency(cell('currency')),
    counterparty: readCounterparty(cell, money.direction, kind, text),
  }
  return { row }
}

const orderWords = { dmy: 'day, month, year', mdy: 'month, day, year', ymd: 'year, month, day' } as const

const totals =
  /^(?:итого|итогов\p{L}+ (?:оборот|сумм)\p{L}*|жами|jami|всего|total|обороты|turnover|остаток|сальдо|balance)(?!\p{L})/iu
const openings =
  /^(?:входящий остаток|остаток на начало|начальный остаток|входящее сальдо|opening balance|start balance)/i
const closings =
  /^(?:исходящий остаток|остаток на конец|конечный остаток|исходящее сальдо|closing balance|end balance)/i

// What a line of sums contains next to the name of the sum; a payer may be called "Balance Trading LLC".
const sumWords =
  /^(?:итого|итогов\p{L}+|жами|jami|всего|total|totals|обороты?|turnover|остаток|сальдо|balance|входящ\p{L}*|исходящ\p{L}*|начальн\p{L}*|конечн\p{L}*|начало|конец|дебет\p{L}*|кредит\p{L}*|приход\p{L}*|расход\p{L}*|поступлени\p{L}*|списани\p{L}*|операци\p{L}*|пер[иі]од\p{L}*|день|дн\p{L}*|дат\p{L}*|месяц\p{L}*|сч[её]т\p{L}*|выписк\p{L}*|сумма|по|на|за|с|в|до|от|г|год\p{L}*|руб\p{L}*|opening|closing|start|end|begin\p{L}*|final|available|current|previous|debits?|credits?|in|out|sum|amounts?|of|the|at|on|for|from|to|per|as|and|period|day|date|month|year|account|statement|transactions?|brought|carried|forward|rub|usd|eur)$/iu

// Most cells of a wide line are empty.
const isSum = (cell: string): boolean =>
  cell !== '' && [totals, openings, closings].some((words) => words.test(cell.trim()))

/** Whether a cell names a sum or a balance and nothing else, such as a company. */
const isSumOnly = (cell: string): boolean =>
  isSum(cell) && (cell.match(/\p{L}+/gu) ?? []).every((word) => sumWords.test(word))

/** A balance between the rows of a CSV; some banks give only its name. */
export type CsvBalance = {
  readonly kind: 'opening' | 'closing'
  readonly amount: string | undefined
  /** What looks like its amount, if that cannot be read. */
  readonly unread: string | undefined
}

/**
 * Whether a cell has a number of at most fifteen digits that is not a date, as an account number is longer, or an error
 * of a spreadsheet (`#REF!`).
 */
const looksLikeAmount = (cell: string): boolean =>
  cell.startsWith('#') ||
  (/^[\p{Pd}−+(]?\s?\d[\d\s.,'’]*\s?[\p{L}\p{Sc}.)]{0,4}$/u.test(cell) &&
    cell.replace(/\D/g, '').length <= 15 &&
    dateParts(cell) === undefined)

/** The amount at the end of a text, after a colon or space: read from the end, in one pass for any text. */
const lastAmount = (text: string): string | undefined => {
  let end = text.length
  while (end > 0 && !/\d/.test(text.charAt(end - 1))) end--
  if (!/^\d[.,]\d\d$/.test(text.slice(Math.max(0, end - 4), end))) return undefined
  let start = end - 4
  while (start > 0 && /[\d\s]/.test(text.charAt(start - 1))) start--
  if (start > 1 && /[+-]/.test(text.charAt(start - 1)) && /[:\s]/.test(text.charAt(start - 2)))
    return text.slice(start - 1, end)
  if (text.charAt(start - 1) === ':') return text.slice(start, end)
  const amount = text.slice(start, end)
  const space = amount.search(/\s/)
  return space < 0 ? undefined : amount.slice(space + 1)
}

/** The balance that a line of a CSV names, if any. */
export const findBalance = (
  cells: readonly string[],
  decimalMark: CsvMapping['decimalMark'],
): CsvBalance | undefined => {
  const at = cells.findIndex((cell) => cell !== '' && (openings.test(cell.trim()) || closings.test(cell.trim())))
  if (at < 0) return undefined
  const inside = lastAmount(cells[at] ?? '')
  const amount = [inside ?? '', ...cells.slice(at + 1)]
    .map((cell) => readCsvAmount(cell, decimalMark)?.replace('+', ''))
    .find((each) => each !== undefined)
  const unread = amount === undefined ? cells.slice(at + 1).find((cell) => looksLikeAmount(cell.trim())) : undefined
  return { kind: openings.test(cells[at]?.trim() ?? '') ? 'opening' : 'closing', amount, unread }
}

/** Whether a line of a CSV begins with the name of a sum. */
const isSumLine = (cells: readonly string[]): boolean => isSum(cells.find((each) => each.trim() !== '') ?? '')

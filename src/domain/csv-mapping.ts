import { type LineFault, isDate, type StatementCharset, tidyText } from './statement.ts'

/** What a column of a CSV statement holds. */
export const csvRoles = [
  'date',
  'time',
  'amount',
  'credit',
  'debit',
  'direction',
  'currency',
  'account',
  'reference',
  'number',
  'payerName',
  'payerNumber',
  'payerBank',
  'text',
  'status',
] as const
/** One of `csvRoles`. */
export type CsvRole = (typeof csvRoles)[number]

/** Characters between the columns. */
export const csvDelimiters = [';', ',', '\t', '|'] as const
/** Orders of day, month and year, whatever is between them. */
export const csvDateOrders = ['dmy', 'mdy', 'ymd'] as const

/** How a bank writes its CSV: saved with a source, or guessed from the file. */
export type CsvMapping = {
  readonly charset: StatementCharset
  readonly delimiter: (typeof csvDelimiters)[number]
  /** Line of the columns' names, from 1; the rows follow it. */
  readonly headerLine: number
  /** Name of the column of each role, as the header writes it. */
  readonly columns: Readonly<Partial<Record<CsvRole, string>>>
  readonly dateOrder: (typeof csvDateOrders)[number]
  readonly decimalMark: ',' | '.'
}

// What banks call their columns, the surer names first.
const names: Readonly<Record<CsvRole, RegExp>> = {
  date: /^(?:дата (?:проводки|операции|проведения|зачисления|поступления|платежа)|дата|operation date|booking date|booked( at| on)?|transaction date|posting date|date|completed date|buchungstag|buchungsdatum)/,
  time: /^(?:время|time)/,
  credit: /^(?:кредит|сумма по кредиту|приход|поступ|зачислен|credit|paid in|money in|deposit|haben)/,
  debit: /^(?:дебет|сумма по дебету|расход|списан|debit|paid out|money out|withdrawal|soll)/,
  amount: /^(?:сумма|amount|betrag|sum)/,
  direction:
    /^(?:тип операции|тип|направление|приход\/расход|direction|credit\/debit|debit\/credit|dr\/cr|cr\/dr|type)$/,
  currency: /^(?:валюта|currency|ccy|währung)/,
  account: /^(?:номер счета|номер счёта|счет|счёт|account|account number|iban|расчетный счет|расчётный счёт)$/,
  reference:
    /^(?:id операции|идентификатор(?: операции)?|id|референс|rrn|(?:transaction|operation|bank) (?:id|reference|ref)|reference|ref)$/,
  number: /^(?:номер документа|номер|№|document|number|doc)/,
  payerName: /^(?:плательщик|отправитель|контрагент|наименование|фио|payer|sender|counterparty|name|from)/,
  payerNumber:
    /^(?:счет плательщика|счёт плательщика|счет отправителя|счёт отправителя|счет контрагента|счёт контрагента|телефон|номер телефона|карта|payer account|sender account|counterparty account|phone|card)/,
  payerBank:
    /^(?:(?:банк|бик|бик банка) (?:плательщика|отправителя|контрагента)|(?:payer|sender|counterparty)(?:'s)? bank|(?:payer|sender) bic)/,
  text: /^(?:назначение|описание|основание|комментарий|примечание|purpose|description|details|narrative|memo|comment|verwendungszweck)/,
  status: /^(?:статус|состояние|status|state)/,
}

// In this order a payer's account is not taken for the statement's own, nor "номер телефона" for a document's number.
const order: readonly CsvRole[] = [
  'payerNumber',
  'payerBank',
  'account',
  'direction',
  'credit',
  'debit',
  'reference',
  'date',
  'time',
  'amount',
  'currency',
  'status',
  'payerName',
  'text',
  'number',
]

/** The name of a column as it is compared. */
export const plainName = (name: string): string => (tidyText(name) ?? '').toLowerCase().replace(/[*:]+$/, '')

const recognise = (header: readonly string[]): Partial<Record<CsvRole, string>> => {
  const columns: Partial<Record<CsvRole, string>> = {}
  const taken = new Set<number>()
  for (const role of order) {
    const at = header.findIndex((name, index) => !taken.has(index) && names[role].test(plainName(name)))
    if (at < 0) continue
    taken.add(at)
    columns[role] = header[at] ?? ''
  }
  return columns
}

const hasMoney = (columns: Partial<Record<CsvRole, string>>): boolean =>
  columns.date !== undefined && (columns.amount !== undefined || columns.credit !== undefined)

/** The cells of a line of CSV (RFC 4180), to guess the mapping from the first lines. */
const cellsOf = (line: string, delimiter: string): string[] => {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (const [index, character] of [...line].entries()) {
    if (character === '"') quoted = !quoted || line[index + 1] === '"'
    else if (character === delimiter && !quoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell].map((each) => each.trim())
}

const dateParts = (cell: string): [string, string, string] | undefined => {
  const [, first, second, third] = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})/.exec(cell.trim()) ?? []
  return first !== undefined && second !== undefined && third !== undefined ? [first, second, third] : undefined
}

const guessDateOrder = (cells: readonly string[]): CsvMapping['dateOrder'] | 'unknown' | undefined => {
  const parts = cells.flatMap((cell) => {
    const found = dateParts(cell)
    return found ? [{ found, dotted: cell.includes('.') }] : []
  })
  if (parts.length === 0) return undefined
  if (parts.every(({ found }) => found[0].length === 4)) return 'ymd'
  if (parts.some(({ found, dotted }) => dotted || Number(found[0]) > 12)) return 'dmy'
  if (parts.some(({ found }) => Number(found[1]) > 12)) return 'mdy'
  return 'unknown'
}

const guessDecimalMark = (cells: readonly string[]): CsvMapping['decimalMark'] | 'unknown' => {
  let mark: CsvMapping['decimalMark'] | undefined
  let unsure = false
  for (const cell of cells) {
    const plain = cell.replace(/[^\d.,]/g, '')
    const last = /([.,])(\d*)$/.exec(plain)
    if (!last) continue
    const [, sign = '', digits = ''] = last
    const others = plain.slice(0, -digits.length - 1)
    if (digits.length === 3 && !/[.,]/.test(others)) unsure = true
    else if (digits.length === 3 && others.includes(sign)) mark ??= sign === ',' ? '.' : ','
    else mark ??= sign === ',' ? ',' : '.'
  }
  return mark ?? (unsure ? 'unknown' : '.')
}

/** The mapping of a CSV from its first lines, or why it cannot be known from them. */
export const guessCsvMapping = (head: string, charset: StatementCharset): CsvMapping | LineFault => {
  const lines = head.split(/\r\n|\n|\r/).slice(0, 200)
  for (const [index, line] of lines.slice(0, 50).entries()) {
    for (const delimiter of csvDelimiters) {
      const columns = recognise(cellsOf(line, delimiter))
      if (!hasMoney(columns)) continue
      const header = cellsOf(line, delimiter)
      const rows = lines
        .slice(index + 1)
        .filter((each) => each !== '')
        .map((each) => cellsOf(each, delimiter))
      const column = (role: CsvRole): string[] => {
        const at = header.indexOf(columns[role] ?? '')
        return at < 0 ? [] : rows.map((cells) => cells[at] ?? '')
      }
      const dateOrder = guessDateOrder(column('date')) ?? 'dmy'
      const decimalMark = guessDecimalMark([...column('amount'), ...column('credit'), ...column('debit')])
      const headerLine = index + 1
      if (dateOrder === 'unknown') {
        return {
          line: headerLine,
          reason: 'It is not clear whether day or month comes first: give the mapping of the columns.',
        }
      }
      if (decimalMark === 'unknown') {
        return {
          line: headerLine,
          reason: 'It is not clear which mark begins the decimals: give the mapping of the columns.',
        }
      }
      return { charset, delimiter, headerLine, columns, dateOrder, decimalMark }
    }
  }
  return {
    line: 1,
    reason:
      'The file has no known format, and no line of it names the columns of a CSV (a date and an amount): give the mapping of the columns.',
  }
}

/** The date of a cell, with its time of day where it has one, or `undefined`. */
export const readCsvDate = (cell: string, dateOrder: CsvMapping['dateOrder'], time: string): string | undefined => {
  const parts = dateParts(cell)
  if (!parts) return undefined
  const [first, second, third] = parts
  const [year, month, dayOfMonth] =
    dateOrder === 'ymd' ? [first, second, third] : dateOrder === 'dmy' ? [third, second, first] : [third, first, second]
  const full = year.length === 2 ? 2000 + Number(year) : Number(year)
  if (!isDate(full, Number(month), Number(dayOfMonth))) return undefined
  const rest = cell
    .trim()
    .replace(/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/, '')
    .trim()
  const date = `${full}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`
  const clock = rest === '' ? time.trim() : rest.replace(/^T\s*/i, '')
  if (clock === '') return date
  const [, hours, minutes, seconds = '00', zone = ''] =
    /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(clock) ?? []
  if (hours === undefined) return undefined
  return `${date}T${hours.padStart(2, '0')}:${minutes}:${seconds}${zone.toUpperCase()}`
}

/** The decimal text of a cell such as `1 234,50`, `+5000.37` or `-12,00 ₽`, or `undefined` where it is not an amount. */
export const readCsvAmount = (cell: string, decimalMark: CsvMapping['decimalMark']): string | undefined => {
  const plain = cell
    .replace(/[\s\u00a0\u202f'’]/g, '')
    .replace(/(?:руб\.?|р\.|[₽$€£]|[A-Za-z]{3})$/i, '')
    .replace(/^[₽$€£]/, '')
    .replace(/^[−–]/, '-')
  const grouping = decimalMark === ',' ? /\.(?=\d{3}(?:\D|$))/g : /,(?=\d{3}(?:\D|$))/g
  const normal = plain.replace(grouping, '').replace(',', '.')
  return /^[+-]?\d{1,15}(?:\.\d{1,6})?$/.test(normal) ? normal.replace(/^\+/, '') : undefined
}

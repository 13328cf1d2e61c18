import { parse } from 'csv-parse'
import { type CsvMapping, type CsvRole, plainName, readCsvAmount, readCsvDate } from '../../domain/csv-mapping.ts'
import {
  findPhone,
  refuseLine,
  type RowKind,
  type StatementParser,
  type StatementRow,
  type StatementSink,
  tidyText,
  told,
} from '../../domain/statement.ts'

/** Longest row; longer ones are no statement, and would fill the memory. */
const maxRowLength = 64 * 1024

const creditWords = /^(?:\+|c|cr|crdt|credit|in|incoming|приход|поступление|зачисление|пополнение|кредит|входящ.*)$/i
const debitWords = /^(?:-|d|dr|dbit|debit|out|outgoing|расход|списание|дебет|исходящ.*|оплата|комиссия)$/i
const pendingWords =
  /pend|hold|в обработке|обрабатыв|ожид|не провед|не исполн|authori|резерв|отклон|отмен|fail|declin|cancel|reject/i
const reversalWords = /revers|сторно|отозван|возврат|chargeback/i
const bookedWords =
  /^(?:ok|ок|book(?:ed)?|completed?|posted|settled|success.*|done|исполнен.*|провед[её]н.*|выполнен.*|успешн.*|зачислен.*|оплачен.*)$/i
const totals = /^(?:итого|всего|total|обороты|turnover|остаток|сальдо|balance)(?!\p{L})/iu
const openings =
  /^(?:входящий остаток|остаток на начало|начальный остаток|входящее сальдо|opening balance|start balance)/i
const closings =
  /^(?:исходящий остаток|остаток на конец|конечный остаток|исходящее сальдо|closing balance|end balance)/i

/** Whether a cell names a sum or a balance. */
const isSum = (cell: string): boolean => [totals, openings, closings].some((words) => words.test(cell.trim()))

// What a line of a sum says beside its name; a payer may be called "Balance Trading LLC".
const sumWords =
  /^(?:итого|всего|total|totals|обороты?|turnover|остаток|сальдо|balance|входящ\p{L}*|исходящ\p{L}*|начальн\p{L}*|конечн\p{L}*|начало|конец|дебет\p{L}*|кредит\p{L}*|приход\p{L}*|расход\p{L}*|поступлени\p{L}*|списани\p{L}*|операци\p{L}*|пер[иі]од\p{L}*|день|дн\p{L}*|дат\p{L}*|месяц\p{L}*|сч[её]т\p{L}*|выписк\p{L}*|сумма|по|на|за|с|в|до|от|г|год\p{L}*|руб\p{L}*|opening|closing|start|end|begin\p{L}*|final|available|current|previous|debits?|credits?|in|out|sum|amounts?|of|the|at|on|for|from|to|per|as|and|period|day|date|month|year|account|statement|transactions?|brought|carried|forward|rub|usd|eur)$/iu

/** Whether a cell names a sum or a balance and nothing else, such as a company. */
const isSumOnly = (cell: string): boolean =>
  isSum(cell) && (cell.match(/\p{L}+/gu) ?? []).every((word) => sumWords.test(word))

/** What a transfer tells of itself, and a line of a sum does not. */
const tellingRoles = ['reference', 'number', 'payerName', 'payerNumber', 'payerBank', 'text'] as const

type Info = { readonly record: readonly string[]; readonly info: { readonly lines: number } }

const kindOf = (status: string): RowKind | undefined => {
  if (status === '') return 'booked'
  if (pendingWords.test(status)) return 'pending'
  if (reversalWords.test(status)) return 'reversal'
  return bookedWords.test(status) ? 'booked' : undefined
}

const withoutSign = (amount: string): string => amount.replace(/^-/, '')
const isNothing = (amount: string | undefined): boolean => amount === undefined || /^[-0.]*$/.test(amount)

type Money = { readonly direction: 'credit' | 'debit'; readonly amount: string }

/** Reads CSV by a mapping of its columns; lines of sums and balances between the rows are no rows. */
export const parseCsv = (sink: StatementSink, mapping: CsvMapping): StatementParser => {
  const { delimiter, headerLine, dateOrder, decimalMark } = mapping
  const places = new Map<CsvRole, number>()
  let opening: string | null = null
  let closing: string | null = null
  let line = 0
  let account: string | null = null
  let currency: string | null = null
  let failure: Error | undefined

  const readHeader = (cells: readonly string[]): void => {
    const plain = cells.map(plainName)
    for (const [role, name] of Object.entries(mapping.columns) as [CsvRole, string][]) {
      const at = plain.indexOf(plainName(name))
      if (at < 0)
        throw refuseLine(headerLine, `The header has no column "${name}", which the mapping takes for ${role}.`)
      places.set(role, at)
    }
  }

  const readBalance = (cells: readonly string[]): boolean => {
    const at = cells.findIndex((cell) => openings.test(cell.trim()) || closings.test(cell.trim()))
    if (at < 0) return false
    const inside = /[:\s]([+-]?[\d\s\u00a0]*\d[.,]\d\d)\D*$/.exec(cells[at] ?? '')?.[1]
    const amount = [inside ?? '', ...cells.slice(at + 1)]
      .map((cell) => readCsvAmount(cell, decimalMark))
      .find((each) => each !== undefined)
    if (amount === undefined) return true
    if (openings.test(cells[at]?.trim() ?? '')) opening ??= amount
    else closing = amount
    return true
  }

  /** The money of a row; `undefined` for a row without any, a text where the row cannot be understood. */
  const readMoney = (cell: (role: CsvRole) => string): Money | string | undefined => {
    const amountOf = (role: CsvRole): string | undefined => readCsvAmount(cell(role), decimalMark)
    for (const role of ['amount', 'credit', 'debit'] as const) {
      if (cell(role) !== '' && !/^[-–—]$/.test(cell(role)) && amountOf(role) === undefined)
        return `"${cell(role).slice(0, 40)}" is no amount.`
    }
    const [credit, debit] = [amountOf('credit'), amountOf('debit')]
    if (!isNothing(credit) && !isNothing(debit)) return 'The row has both a credit and a debit.'
    if (credit !== undefined && !isNothing(credit)) {
      return { direction: credit.startsWith('-') ? 'debit' : 'credit', amount: withoutSign(credit) }
    }
    if (debit !== undefined && !isNothing(debit)) return { direction: 'debit', amount: withoutSign(debit) }
    const amount = amountOf('amount')
    if (amount === undefined || isNothing(amount)) return undefined
    const word = cell('direction')
    if (places.has('direction') && (creditWords.test(word) || debitWords.test(word)))
      return { direction: creditWords.test(word) ? 'credit' : 'debit', amount: withoutSign(amount) }
    return { direction: amount.startsWith('-') ? 'debit' : 'credit', amount: withoutSign(amount) }
  }

  const readRow = (cells: readonly string[], at: number): void => {
    const cell = (role: CsvRole): string => {
      const place = places.get(role)
      return place === undefined ? '' : (cells[place] ?? '').trim()
    }
    if (cells.every((each) => each.trim() === '')) return
    const booked = readCsvDate(cell('date'), dateOrder, cell('time'))
    const isDated = booked !== undefined && typeof readMoney(cell) === 'object'
    // Payers write what they like: a dated row with an amount that tells anything else is a row, whatever it begins with.
    const isRow =
      isDated &&
      (tellingRoles.some((role) => cell(role) !== '' && !isSumOnly(cell(role))) ||
        !cells.some((each) => isSumOnly(each)))
    if (!isRow && (readBalance(cells) || isSum(cells.find((each) => each.trim() !== '') ?? ''))) return
    if (booked === undefined) return sink.fault(at, `"${cell('date').slice(0, 40)}" is no date of this file's form.`)
    const money = readMoney(cell)
    if (typeof money === 'string') return sink.fault(at, money)
    if (money === undefined) return sink.fault(at, 'The row has no amount.')
    const kind = kindOf(cell('status'))
    if (kind === undefined) return sink.fault(at, `The status "${cell('status').slice(0, 40)}" is not known.`)
    const text = tidyText(cell('text'))
    account = tidyText(cell('account')) ?? account
    currency = tidyText(cell('currency'))?.toLowerCase() ?? currency
    const row: StatementRow = {
      ...{ line: at, account: tidyText(cell('account')), kind, ...money, booked, text },
      currency: tidyText(cell('currency'))?.toLowerCase() ?? null,
      reference: tidyText(cell('reference')),
      number: tidyText(cell('number')),
      payerName: tidyText(cell('payerName')),
      payerNumber: tidyText(cell('payerNumber')) ?? findPhone(text),
      payerBank: told(tidyText(cell('payerBank'))),
    }
    sink.row(row)
  }

  const parser = parse({
    delimiter,
    info: true,
    bom: true,
    relax_column_count: true,
    relax_quotes: false,
    max_record_size: maxRowLength,
  })
  parser.on('error', (error: Error & { lines?: number }) => {
    failure ??= refuseLine(
      error.lines ?? line + 1,
      'The row is no well-formed CSV: a quotation mark is missing or too much.',
    )
  })
  const drain = (): void => {
    if (failure) throw failure
    for (let next = parser.read() as Info | null; next; next = parser.read() as Info | null) {
      // Where it begins: a row with line breaks in its cells ends further down.
      const breaks = next.record.reduce((count, cell) => count + (cell.match(/\n/g)?.length ?? 0), 0)
      line = next.info.lines - breaks
      if (line === headerLine) readHeader(next.record)
      else if (line > headerLine) readRow(next.record, line)
      else readBalance(next.record)
    }
  }
  return {
    write: (text) => {
      parser.write(text)
      drain()
    },
    end: async () => {
      const ended = Promise.withResolvers<void>()
      parser.once('end', ended.resolve)
      parser.once('error', () => ended.resolve())
      parser.end()
      while (parser.readable && !failure) {
        drain()
        if (parser.readableEnded) break
        await Promise.race([ended.promise, new Promise((next) => parser.once('readable', next))])
      }
      drain()
      if (line < headerLine)
        throw refuseLine(line, `The file has no line ${headerLine}, where its columns would be named.`)
      sink.balance({ line, account, currency, opening, closing, credits: null, debits: null })
    },
  }
}

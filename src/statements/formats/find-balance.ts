import { type CsvMapping, readCsvAmount } from '../../domain/csv-mapping.ts'

const totals =
  /^(?:итого|итогов\p{L}+ (?:оборот|сумм)\p{L}*|жами|jami|всего|total|обороты|turnover|остаток|сальдо|balance)(?!\p{L})/iu
const openings =
  /^(?:входящий остаток|остаток на начало|начальный остаток|входящее сальдо|opening balance|start balance)/i
const closings =
  /^(?:исходящий остаток|остаток на конец|конечный остаток|исходящее сальдо|closing balance|end balance)/i

// What a line of a sum says next to its name; a payer may be called "Balance Trading LLC".
const sumWords =
  /^(?:итого|итогов\p{L}+|жами|jami|всего|total|totals|обороты?|turnover|остаток|сальдо|balance|входящ\p{L}*|исходящ\p{L}*|начальн\p{L}*|конечн\p{L}*|начало|конец|дебет\p{L}*|кредит\p{L}*|приход\p{L}*|расход\p{L}*|поступлени\p{L}*|списани\p{L}*|операци\p{L}*|пер[иі]од\p{L}*|день|дн\p{L}*|дат\p{L}*|месяц\p{L}*|сч[её]т\p{L}*|выписк\p{L}*|сумма|по|на|за|с|в|до|от|г|год\p{L}*|руб\p{L}*|opening|closing|start|end|begin\p{L}*|final|available|current|previous|debits?|credits?|in|out|sum|amounts?|of|the|at|on|for|from|to|per|as|and|period|day|date|month|year|account|statement|transactions?|brought|carried|forward|rub|usd|eur)$/iu

// Most cells of a wide line are empty.
const isSum = (cell: string): boolean =>
  cell !== '' && [totals, openings, closings].some((words) => words.test(cell.trim()))

/** Whether a cell names a sum or a balance and nothing else, such as a company. */
export const isSumOnly = (cell: string): boolean =>
  isSum(cell) && (cell.match(/\p{L}+/gu) ?? []).every((word) => sumWords.test(word))

/** A balance between the rows of a CSV; some banks give its name only. */
export type CsvBalance = { readonly kind: 'opening' | 'closing'; readonly amount: string | undefined }

/** The amount at the end of a text, after a colon or space: read from the end, in one pass whatever the text. */
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
  return { kind: openings.test(cells[at]?.trim() ?? '') ? 'opening' : 'closing', amount }
}

/** Whether a line of a CSV begins with the name of a sum. */
export const isSumLine = (cells: readonly string[]): boolean => isSum(cells.find((each) => each.trim() !== '') ?? '')

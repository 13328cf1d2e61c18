import { tidyText } from '../texts.ts'

/**
 * Columns that describe a transfer and are empty in a line of a sum; `payer…` is for money in, `payee…` for money out.
 */
export const describingRoles = [
  'reference',
  'number',
  'payerName',
  'payerNumber',
  'payerBank',
  'payeeName',
  'payeeNumber',
  'payeeBank',
  'text',
] as const

/** What a column of a table holds. */
export const csvRoles = [
  'date',
  'time',
  'amount',
  'credit',
  'debit',
  'direction',
  'currency',
  'account',
  ...describingRoles,
  'status',
] as const
export type CsvRole = (typeof csvRoles)[number]

type Names = readonly RegExp[]

const anybody =
  /^(?:номи корреспондент|контрагент|корреспондент|наименование|фио|counterparty|name|naam|tegenrekeninghouder|beg(?:ue|ü)nstigter\/|auftraggeber\/)/
// A card on its own is that of the account: if it counted as the payer's, all payers would seem to be one.
const anyNumber =
  /^(?:(?:сч[её]т|карта) (?:контрагента|корресп)|ҳисоб корресп|телефон|номер телефона|counterparty account|phone|tegenrekening(?:nummer)?$|kontonummer\/iban$|iban zahlungsbeteiligter)/
const anyBank = /^(?:банк|бик|бик банка|мфо) (?:контрагента|корресп)|^мфо$|^counterparty(?:'s)? bank/

// What banks call their columns, the surest names first: the first name that any column has decides, whatever the order
// of the columns.
const names: Readonly<Record<Exclude<CsvRole, 'direction' | 'currency'>, Names>> = {
  date: [
    /^дата (?:проводки|отражения)/,
    /^дата (?:зачисления|поступления)/,
    /^(?:booking date|booked(?: at| on)?|post(?:ing|ed)? date|posted|buchungstag|buchungsdatum|boekdatum)/,
    /^(?:completed date|date completed)/,
    /^дата (?:совершения )?(?:операции|проведения|транзакции)/,
    /^(?:operation date|transaction date|transactiedatum)/,
    /^дата (?:платежа|обработки|исполнения)/,
    /^(?:дата|сана|date|datum)(?:$|[ /,]+(?:и )?(?:время|time))/,
    /^(?:дата|date)(?! (?:документа|of birth|рождения|начала|конца|открытия))/,
    /^дата документа/,
  ],
  time: [/^(?:время|time|tijd|uhrzeit)/],
  credit: [
    /^(?:кредит|(?:сумма|оборот) (?:по )?кредиту?|сумма (?:зачислени|поступлени|приход)|приход|поступ|зачислен|credit|paid in|money in|deposit|haben)(?!.*(?:сч[её]т|account|бонус|к[еэ]шб|комис|\/|debe?t))/,
  ],
  debit: [
    /^(?:дебет|(?:сумма|оборот) (?:по )?дебету?|сумма (?:списани|расход)|расход|списан|debit|paid out|money out|withdrawal|soll)(?!.*(?:сч[её]т|account|бонус|к[еэ]шб|комис|\/|credit))/,
  ],
  // The sum in the account's currency is the booked one.
  amount: [
    /^сумма.*валют[еу] (?:сч[её]та|карты)/,
    /^(?:amount in account currency|account amount|billing amount|settlement amount)/,
    /^сумма платежа$/,
    /^(?:сумма|amount|betrag|bedrag|sum)$/,
    /^(?:сумма|amount|betrag|bedrag|sum)(?!.*(?:комис|ндс|к[еэ]шб|бонус|налог|остат|fee|tax|балл|дебет|кредит|debit|credit))/,
  ],
  account: [
    /^(?:номер сч[её]та|сч[её]т(?: клиента)?|account|account number|iban|расч[её]тный сч[её]т|kontonummer|(?:iban )?auftragskonto|rekening|rekeningnummer)$/,
  ],
  reference: [
    /^(?:id операции|идентификатор(?: операции)?|id|референс|rrn|(?:transaction|operation|bank) (?:id|reference|ref)|reference|ref)$/,
    /^(?:(?:номер|№) (?:банковской )?(?:операции|транзакции|проводки)|(?:transaction|operation) (?:number|no\.?))$/,
  ],
  // `№ п/п` only counts the rows of a file.
  number: [/^(?:номер документа|номер|№|document|number|doc)(?!.*(?:карт|сч[её]т|card|account|п\/п|п\. ?п))/],
  payerName: [
    /^(?:(?:наименование |имя )?(?:плательщик|отправител)|payer|sender|from|auftraggeber(?:name)?$|zahlungspflichtige)/,
    anybody,
  ],
  payerNumber: [/^(?:сч[её]т (?:плательщика|отправителя)|payer account|sender account|auftraggeber iban)/, anyNumber],
  payerBank: [/^(?:банк|бик|бик банка) (?:плательщика|отправителя)|^(?:payer|sender)(?:'s)? (?:bank|bic)/, anyBank],
  payeeName: [
    /^(?:(?:наименование |имя )?получател|payee|recipient|beneficiary|empfänger(?:name)?$|zahlungsempfänger)/,
    anybody,
  ],
  payeeNumber: [/^(?:сч[её]т получателя|(?:payee|recipient|beneficiary) account|empfänger iban)/, anyNumber],
  payeeBank: [/^(?:банк|бик|бик банка) получателя|^(?:payee|recipient|beneficiary)(?:'s)? (?:bank|bic)/, anyBank],
  text: [
    /^(?:назначение|тўлов мақсади|purpose|verwendungszweck)/,
    /^(?:описание|детали(?:$| платежа)|основание|комментарий|примечание|desc$|description|details|narrati(?:ve|on)|memo|comment|text$|mededelingen|omschrijving|umsatztext|buchungstext)/,
  ],
  status: [/^(?:статус|состояние|status|state)/],
}

/**
 * Whether a column continues a column of texts, by their normalised names: one bank has a description next to a memo.
 * Next to the payer's own words (the purpose) it is the bank's word for the kind of operation.
 */
export const continuesText = (name: string, text: string): boolean => {
  const [purposes, descriptions] = names.text
  return purposes?.test(text) === false && descriptions?.test(name) === true
}

// In this order a payer's account is not taken for the statement's own, nor "номер телефона" for a document's number.
const order = [
  'payerNumber',
  'payeeNumber',
  'payerBank',
  'payeeBank',
  'account',
  'credit',
  'debit',
  'reference',
  'date',
  'time',
  'amount',
  'status',
  'payerName',
  'payeeName',
  'text',
  'number',
] as const

/** The columns of a table by what they hold, as indexes from 0. */
export type CsvIndexes = Readonly<Partial<Record<CsvRole, number>>>

/** The normalised name of a column, for comparisons. */
export const plainName = (name: string): string => (tidyText(name) ?? '').toLowerCase().replace(/(?<![*:])[*:]+$/, '')

const sideOf: Readonly<Partial<Record<CsvRole, CsvRole>>> = {
  payeeName: 'payerName',
  payeeNumber: 'payerNumber',
  payeeBank: 'payerBank',
}

const isCurrency = /^(?:валюта|currency|ccy|währung|waehrung|valutacode)$/

/** The currency column of an amount: "Валюта счета" for "Сумма в валюте счета", never that of another amount. */
const findCurrency = (header: readonly string[], amount: number | undefined): number => {
  const of = amount === undefined ? '' : (/^сумма (?:.*валют[еу] )?(\S+)/.exec(header[amount] ?? '')?.[1] ?? '')
  const own =
    of === '' ? -1 : header.findIndex((name) => name === `валюта ${of.replace('ё', 'е')}` || name === `валюта ${of}`)
  if (own >= 0) return own
  const plain = header.findIndex((name) => isCurrency.test(name))
  if (plain >= 0 || of !== '') return plain
  const only = header.filter((name) => name.startsWith('валюта'))
  return only.length === 1 ? header.indexOf(only[0] ?? '') : -1
}

// Banks of Uzbekistan put the bank and taxpayer of the other side next to its account, and their own in a line above;
// a German bank the payer.
const besideOther = /^(?:мфо|инн|стир)$|^zahlungspflichtige/

/** If a plain account column has columns of the other side next to it, treats it as the other side's. */
const moveAccount = (header: readonly string[], columns: Partial<Record<CsvRole, number>>): void => {
  const { account } = columns
  if (account === undefined || columns.payerNumber !== undefined || !/^(?:сч[её]т|iban)$/.test(header[account] ?? ''))
    return
  if (!header.some((name) => besideOther.test(name))) return
  delete columns.account
  columns.payerNumber = account
  columns.payeeNumber = account
}

/** The columns of a header by their names; those of the direction need the rows, too. */
export const recogniseColumns = (cells: readonly string[]): CsvIndexes => {
  const header = cells.map(plainName)
  const columns: Partial<Record<CsvRole, number>> = {}
  const taken = new Set<number>()
  for (const role of order) {
    // A column about the other side applies to payers and payees alike.
    const shared = columns[sideOf[role] ?? role]
    for (const pattern of names[role]) {
      const at = header.findIndex((name, index) => (!taken.has(index) || index === shared) && pattern.test(name))
      if (at < 0) continue
      taken.add(at)
      columns[role] = at
      break
    }
  }
  moveAccount(header, columns)
  // German savings banks say there whether they have booked a row.
  const info = header.includes('buchungstag') ? header.indexOf('info') : -1
  if (info >= 0) columns.status ??= info
  // Next to an amount column for all rows, a single credit or debit column is something else, such as points; two are
  // the amounts.
  if (columns.credit !== undefined && columns.debit !== undefined) delete columns.amount
  else if (columns.amount !== undefined) {
    delete columns.credit
    delete columns.debit
  }
  const currency = findCurrency(header, columns.amount)
  if (currency >= 0) columns.currency = currency
  // The time of one event says nothing about the day of another.
  const [date, time] = [columns.date, columns.time].map(
    (at) => (at === undefined ? '' : (header[at] ?? '')).split(' ')[1],
  )
  if (date !== undefined && time !== undefined && date !== time) delete columns.time
  return columns
}

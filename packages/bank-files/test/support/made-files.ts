// Statements as banks write them, rendered from one list of rows in every format.
import { formatDecimal } from '../../src/amount.ts'

/** A booked row of a made-up statement; credits are positive, debits negative. */
export type MadeRow = {
  readonly minor: bigint
  /** `2026-01-31` */
  readonly date: string
  readonly reference?: string
  readonly payer?: string
  readonly payerAccount?: string
  /** Name or identifier of the payer's bank. */
  readonly payerBank?: string
  readonly text?: string
  readonly pending?: true
  readonly reversal?: true
}

/** A made-up statement of one account. */
export type Made = {
  readonly account: string
  readonly currency?: string
  readonly opening?: bigint
  readonly closing?: bigint
  /** The first day of the statement; only a 1C exchange file contains it. */
  readonly openedOn?: string
  /** The last day of the statement; a table does not contain it. */
  readonly closedOn?: string
  readonly rows: readonly MadeRow[]
}

const closingOf = ({ opening = 0n, closing, rows }: Made): bigint =>
  closing ?? rows.reduce((sum, row) => (row.pending ? sum : sum + row.minor), opening)

const decimal = (minor: bigint): string => formatDecimal(minor < 0n ? -minor : minor, 2)
const xml = (text: string): string => text.replace(/[<>&'"]/g, (character) => `&#${character.charCodeAt(0)};`)

const camtEntry = (row: MadeRow, currency: string): string => `<Ntry>
<Amt Ccy="${currency.toUpperCase()}">${decimal(row.minor)}</Amt>
<CdtDbtInd>${row.minor < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>${row.reversal ? '<RvslInd>true</RvslInd>' : ''}
<Sts>${row.pending ? 'PDNG' : 'BOOK'}</Sts><BookgDt><Dt>${row.date}</Dt></BookgDt>
${row.reference === undefined ? '' : `<AcctSvcrRef>${xml(row.reference)}</AcctSvcrRef>`}
<NtryDtls><TxDtls><RltdPties><Dbtr><Nm>${xml(row.payer ?? 'Payer')}</Nm></Dbtr>${
  row.payerAccount === undefined ? '' : `<DbtrAcct><Id><Othr><Id>${row.payerAccount}</Id></Othr></Id></DbtrAcct>`
}</RltdPties>${
  row.payerBank === undefined
    ? ''
    : `<RltdAgts><DbtrAgt><FinInstnId><Nm>${xml(row.payerBank)}</Nm></FinInstnId></DbtrAgt></RltdAgts>`
}<RmtInf><Ustrd>${xml(row.text ?? '')}</Ustrd></RmtInf></TxDtls></NtryDtls>
</Ntry>`

const camtBalance = (code: string, minor: bigint, currency: string, day = '2026-01-31'): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency.toUpperCase()}">${decimal(minor)}</Amt>
<CdtDbtInd>${minor < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`

/** A camt.053 message of a version. */
export const camtOf = (made: Made, version = '08'): string => {
  const currency = made.currency ?? 'rub'
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt>
<Id>1</Id><Acct><Id><Othr><Id>${made.account}</Id></Othr></Id></Acct>
${camtBalance('OPBD', made.opening ?? 0n, currency)}
${camtBalance('CLBD', closingOf(made), currency, made.closedOn)}
${made.rows.map((row) => camtEntry(row, currency)).join('\n')}
</Stmt></BkToCstmrStmt></Document>
`
}

const dotted = (date: string): string => date.split('-').toReversed().join('.')

/** A 1CClientBankExchange file as text; see `encode` for its character sets. */
export const exchangeOf = (made: Made, charset = 'Windows'): string => {
  const sum = (wanted: (row: MadeRow) => boolean) =>
    decimal(made.rows.filter(wanted).reduce((total, row) => total + row.minor, 0n))
  const document = (row: MadeRow, index: number): string => {
    const other = row.payerAccount ?? '40817810000000009999'
    const [payer, payee] = row.minor < 0n ? [made.account, other] : [other, made.account]
    return [
      'СекцияДокумент=Платежное поручение',
      `Номер=${row.reference ?? index + 1}`,
      `Дата=${dotted(row.date)}`,
      `Сумма=${decimal(row.minor)}`,
      `ПлательщикСчет=${payer}`,
      `Плательщик1=${row.payer ?? 'Плательщик'}`,
      ...(row.payerBank === undefined ? [] : [`ПлательщикБанк1=${row.payerBank}`]),
      `ПолучательСчет=${payee}`,
      row.minor < 0n ? `ДатаСписано=${dotted(row.date)}` : `ДатаПоступило=${dotted(row.date)}`,
      `НазначениеПлатежа=${row.text ?? ''}`,
      'КонецДокумента',
    ].join('\r\n')
  }
  return [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    `Кодировка=${charset}`,
    'Отправитель=Банк',
    `РасчСчет=${made.account}`,
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(made.openedOn ?? '2026-01-01')}`,
    `ДатаКонца=${dotted(made.closedOn ?? '2026-01-31')}`,
    `РасчСчет=${made.account}`,
    `НачальныйОстаток=${formatDecimal(made.opening ?? 0n, 2)}`,
    `ВсегоПоступило=${sum((row) => row.minor > 0n)}`,
    `ВсегоСписано=${sum((row) => row.minor < 0n)}`,
    `КонечныйОстаток=${formatDecimal(closingOf(made), 2)}`,
    'КонецРасчСчет',
    ...made.rows.map(document),
    'КонецФайла',
    '',
  ].join('\r\n')
}

/** An MT940 message. */
export const mt940Of = (made: Made): string => {
  const currency = (made.currency ?? 'rub').toUpperCase()
  const swift = (minor: bigint): string => decimal(minor).replace('.', ',')
  const short = (date: string): string => date.slice(2).replaceAll('-', '')
  const mark = (row: MadeRow): string => {
    if (row.reversal) return row.minor < 0n ? 'RC' : 'RD'
    return row.minor < 0n ? 'D' : 'C'
  }
  const balance = (minor: bigint, date = '2026-01-31'): string =>
    `${minor < 0n ? 'D' : 'C'}${short(date)}${currency}${swift(minor)}`
  return [
    ':20:STMT1',
    `:25:${made.account}`,
    ':28C:1/1',
    `:60F:${balance(made.opening ?? 0n)}`,
    ...made.rows.flatMap((row) => [
      `:61:${short(row.date)}${short(row.date).slice(2)}${mark(row)}${swift(row.minor)}NTRFNONREF${row.reference === undefined ? '' : `//${row.reference}`}`,
      `:86:020?00Credit?20${row.text ?? ''}${row.payerBank === undefined ? '' : `?30${row.payerBank}`}?31${row.payerAccount ?? ''}?32${row.payer ?? 'Payer'}`,
    ]),
    `:62F:${balance(closingOf(made), made.closedOn)}`,
    '-',
    '',
  ].join('\r\n')
}

/** A CSV with the columns of a Russian bank. */
export const csvOf = (made: Made, delimiter = ';'): string => {
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const grouped = (minor: bigint): string =>
    `${minor < 0n ? '-' : ''}${decimal(minor)
      .replace('.', ',')
      .replace(/\B(?=(\d{3})+,)/g, ' ')}`
  return [
    [
      'Дата операции',
      'Сумма',
      'Валюта',
      'Плательщик',
      'Счет плательщика',
      'Банк плательщика',
      'Назначение платежа',
      'ID операции',
      'Статус',
    ],
    ...made.rows.map((row) => [
      dotted(row.date),
      `${row.minor > 0n ? '+' : ''}${grouped(row.minor)}`,
      (made.currency ?? 'rub').toUpperCase(),
      quote(row.payer ?? 'Плательщик'),
      row.payerAccount ?? '',
      row.payerBank ?? '',
      quote(row.text ?? ''),
      row.reference ?? '',
      row.reversal ? 'Сторно' : row.pending ? 'В обработке' : 'Исполнено',
    ]),
    ['Входящий остаток', grouped(made.opening ?? 0n)],
    ['Исходящий остаток', grouped(closingOf(made))],
    [],
  ]
    .map((cells) => cells.join(delimiter))
    .join('\r\n')
}

const dosUpper = 'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп'

/** A Russian text in an old character set. */
export const encode = (text: string, charset: 'windows-1251' | 'ibm866'): Buffer =>
  Buffer.from(
    [...text].map((character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 0x80) return code
      if (charset === 'windows-1251') {
        if (character === 'ё') return 0xb8
        if (character === 'Ё') return 0xa8
        if (character === '№') return 0xb9
        return code - 0x410 + 0xc0
      }
      if (character === '№') return 0xfc
      if (character === 'ё') return 0xf1
      const at = dosUpper.indexOf(character)
      return at >= 0 ? 0x80 + at : 0xe0 + (code - 'р'.charCodeAt(0))
    }),
  )

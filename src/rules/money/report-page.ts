import { currencyDecimals, formatDecimal } from '../values/currency.ts'
import { formatInstant } from '../time.ts'
import { xmlText } from '../values/xml-text.ts'
import { type MerchantReport, type ReportLine, reportToCsv } from './merchant-report.ts'

/** The languages of a report. */
export const reportLanguages = ['en', 'ru'] as const
export type ReportLanguage = (typeof reportLanguages)[number]

type Words = Readonly<Record<ReportLine, string>> & {
  readonly title: string
  readonly balance: (currency: string) => string
  readonly columns: readonly [string, string, string, string, string]
  readonly opening: string
  readonly closing: string
  readonly paidOut: string
  readonly received: string
  readonly receivedColumns: readonly [string, string, string, string]
  readonly none: string
  readonly ends: (until: string) => string
  readonly test: string
  readonly attached: string
  readonly about: string
}

const words: Readonly<Record<ReportLanguage, Words>> = {
  en: {
    title: 'Report',
    balance: (currency) => `Balance in ${currency}`,
    columns: ['', 'Number', 'Before fees', 'Fee', 'Change'],
    opening: 'Opening balance',
    payments: 'Payments',
    overpayments: 'Overpayments assigned',
    refunds: 'Refunds',
    reversals: 'Taken back by banks, and corrections',
    settlements: 'Settlements',
    released: 'Settlements that failed',
    adjustments: 'Adjustments',
    closing: 'Closing balance',
    paidOut: 'Paid out by settlements',
    received: 'Credited payments',
    receivedColumns: ['Currency', 'Number', 'Asked', 'Received'],
    none: 'None.',
    test: 'Sandbox: this money is not real.',
    attached: 'The report is in the page of this message, and attached as CSV.',
    ends: (until) => `The period has not ended: the report ends at ${until} UTC.`,
    about:
      'Days are of UTC. A payment belongs to the day on which it was credited, and a settlement to that on which it was drafted. The sums are those of the ledger: what was posted never changes.',
  },
  ru: {
    title: 'Отчёт',
    balance: (currency) => `Баланс, ${currency}`,
    columns: ['', 'Количество', 'До комиссии', 'Комиссия', 'Изменение'],
    opening: 'Баланс на начало',
    payments: 'Платежи',
    overpayments: 'Зачисленные переплаты',
    refunds: 'Возвраты плательщикам',
    reversals: 'Возвращено банками и исправления',
    settlements: 'Выплаты',
    released: 'Несостоявшиеся выплаты',
    adjustments: 'Корректировки',
    closing: 'Баланс на конец',
    paidOut: 'Выплачено',
    received: 'Зачисленные платежи',
    receivedColumns: ['Валюта', 'Количество', 'Запрошено', 'Получено'],
    none: 'Нет.',
    test: 'Песочница: эти деньги ненастоящие.',
    attached: 'Отчёт — на странице этого письма и приложен в CSV.',
    ends: (until) => `Период не закончился: отчёт составлен на ${until} UTC.`,
    about:
      'Дни — по UTC. Платёж относится к дню зачисления, выплата — к дню, когда она составлена. Суммы — из учёта: проведённое не меняется.',
  },
}

/** The styles of the page, on paper, too; without variables, which programs for e-mail leave out. */
export const reportStyle = `
:root { color-scheme: light dark }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2.5rem 1.25rem; max-width: 46rem; background: #fff; color: #1c2024;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.0625rem }
p { margin: .25rem 0 }
p, thead th, .zero { color: #60646c }
.late { margin-top: .75rem; padding: .5rem .75rem; background: #f5f5f7; border-radius: .375rem; color: inherit }
.about { margin-top: 2.25rem; font-size: .875rem }
.after { margin-top: .75rem }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .5rem .75rem; text-align: right; border-bottom: 1px solid #d9d9e0; white-space: nowrap }
th:first-child, td:first-child { padding-left: 0; text-align: left; white-space: normal }
th:last-child, td:last-child { padding-right: 0 }
thead th { font-size: .8125rem; font-weight: 500; vertical-align: bottom; white-space: normal }
tbody th { font-weight: 400 }
.sum th, .sum td { font-weight: 600; border-bottom-color: currentColor }
@media (max-width: 36rem) {
  body { padding: 1.5rem 1rem; font-size: 15px }
  thead { display: none }
  tr { display: grid; grid-template-columns: 1fr auto; column-gap: 1rem; padding: .5rem 0; border-bottom: 1px solid #d9d9e0 }
  .sum { border-bottom-color: currentColor }
  th, td { padding: 0; border: 0 }
  td:not(:last-child) { grid-column: 1 / -1; color: #60646c; font-size: .8125rem; text-align: left }
  td:not(:last-child)::before { content: attr(data-name) ": " }
  td:last-child { grid-area: 1 / 2 }
  td:empty, .zero td:not(:last-child) { display: none }
}
@media screen and (prefers-color-scheme: dark) {
  body { background: #18191b; color: #edeef0 }
  p, thead th, .zero, td:not(:last-child)::before { color: #b0b4ba }
  .late { background: #272a2d; color: inherit }
  th, td, tr { border-color: #43484e }
}
@media screen and (max-width: 36rem) and (prefers-color-scheme: dark) { td:not(:last-child) { color: #b0b4ba } }
@page { margin: 18mm }
@media print { body { padding: 0; max-width: none; font-size: 11pt } tr { break-inside: avoid } }
`

const periodText = (period: string, language: ReportLanguage): string => {
  const [year = '', month = '', dayOfMonth] = period.split('-')
  const form =
    dayOfMonth === undefined ? ({ year: 'numeric', month: 'long' } as const) : ({ dateStyle: 'long' } as const)
  const at = Date.UTC(Number(year), Number(month) - 1, Number(dayOfMonth ?? 1))
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { ...form, timeZone: 'UTC' }).format(at)
}

const moneyOf =
  (language: ReportLanguage) =>
  (minor: bigint, currency: string): string => {
    const decimals = currencyDecimals(currency)
    const form = new Intl.NumberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    return form.format(formatDecimal(minor, decimals) as Intl.StringNumericLiteral).replace('-', '\u2212')
  }

const escape = (text: string): string => xmlText(text, 500)

const headOf = (names: readonly string[]): string =>
  `<thead><tr>${names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`)).join('')}</tr></thead>`

const rowOf = (name: string, cells: readonly string[], names: readonly string[], look = ''): string =>
  `<tr${look === '' ? '' : ` class="${look}"`}><th scope="row">${name}</th>` +
  `${cells.map((cell, at) => `<td data-name="${names[at + 1] ?? ''}">${cell}</td>`).join('')}</tr>`

/** The balance of a report in its currency, with what has changed it. */
const sectionOf = (report: MerchantReport, language: ReportLanguage): string => {
  const own = words[language]
  const { currency, opening, closing, lines, paidOut, payments } = report
  const format = moneyOf(language)
  const money = (minor: bigint, of = currency): string => format(minor, of)
  const count = (value: number): string => new Intl.NumberFormat(language).format(value)
  const balance = (name: string, minor: bigint): string => rowOf(name, ['', '', '', money(minor)], own.columns, 'sum')
  const moved = lines.map(({ line, count: number, gross, fee, change }) => {
    const look = number === 0 && gross === 0n && fee === 0n ? 'zero' : ''
    return rowOf(own[line], [count(number), money(gross), money(fee), money(change)], own.columns, look)
  })
  const code = currency.toUpperCase()
  const received = payments.map((each) => {
    const cells = [count(each.count), money(each.asked, each.currency), money(each.received, each.currency)]
    return rowOf(each.currency.toUpperCase(), cells, own.receivedColumns)
  })
  return `<h2>${own.balance(code)}</h2>
<table>
${headOf(own.columns)}
<tbody>
${[balance(own.opening, opening), ...moved, balance(own.closing, closing)].join('\n')}
</tbody>
</table>
<p class="after">${own.paidOut}: ${money(paidOut)} ${code}</p>
<h2>${own.received}</h2>
${received.length === 0 ? `<p>${own.none}</p>` : `<table>\n${headOf(own.receivedColumns)}\n<tbody>\n${received.join('\n')}\n</tbody>\n</table>`}
`
}

type Reports = readonly [MerchantReport, ...MerchantReport[]]

const titleOf = ({ merchantName, period }: MerchantReport, language: ReportLanguage): string =>
  `${words[language].title}: ${merchantName}, ${periodText(period, language)}`

/** Reports of a merchant's period, one for each currency, as a page of its own, to read on any screen, to print, or to keep. */
export const reportToHtml = (reports: Reports, language: ReportLanguage): string => {
  const own = words[language]
  const [first] = reports
  const { merchantName, period, until, isEnded, isTest } = first
  const notes = [
    ...(isTest ? [own.test] : []),
    ...(isEnded ? [] : [own.ends(formatInstant(until).slice(0, 16).replace('T', ' '))]),
  ]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(titleOf(first, language))}</title>
<style>${reportStyle}</style>
</head>
<body>
<header>
<p>${escape(merchantName)}</p>
<h1>${own.title}: ${periodText(period, language)}</h1>
${notes.map((note) => `<p class="late">${note}</p>`).join('\n')}
</header>
<main>
${reports.map((report) => sectionOf(report, language)).join('')}<p class="about">${own.about}</p>
</main>
</body>
</html>
`
}

/** Reports of a merchant's period, one for each currency, as an e-mail with CSV files. */
export const reportToMail = (reports: Reports, language: ReportLanguage) => {
  const own = words[language]
  const money = moneyOf(language)
  const [first] = reports
  const subject = first.isTest ? `[sandbox] ${titleOf(first, language)}` : titleOf(first, language)
  const balances = reports.flatMap(({ currency, opening, closing }) => [
    `${own.opening}: ${money(opening, currency)} ${currency.toUpperCase()}`,
    `${own.closing}: ${money(closing, currency)} ${currency.toUpperCase()}`,
  ])
  return {
    subject,
    text: [titleOf(first, language), '', ...balances, '', own.attached, ...(first.isTest ? [own.test] : []), ''].join(
      '\n',
    ),
    html: reportToHtml(reports, language),
    attachments: reports.map((report) => ({
      filename: `report-${report.period}-${report.currency.toUpperCase()}.csv`,
      contentType: 'text/csv; charset=utf-8',
      content: reportToCsv(report),
    })),
  }
}

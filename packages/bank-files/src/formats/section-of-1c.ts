import { withoutNoise } from '../amount.ts'
import { isDate } from '../booked.ts'
import { tidyText } from '../texts.ts'

/** A section of the file with its fields; those with an amount have it as a decimal text with a dot. */
export type Section = {
  readonly line: number
  readonly name: string
  readonly fields: Map<string, string>
  /** The field that was read last: the next line may continue it. */
  last: string
  /** Whether a fault of a field was reported. */
  isFaulty: boolean
}

/** A section without fields, which begins on a line. */
export const newSection = (line: number, name: string): Section => ({
  ...{ line, name, fields: new Map(), last: '', isFaulty: false },
})

/** Who has written a file of payment orders for a bank (Отправитель): such a file says nothing about what was booked. */
export const orderSender = 'bank-files'

/** Most fields per section. */
export const maxFields = 500
/** A field that has become this long takes no further lines. */
const maxContinued = 10_000

const words = (text: string): string[] => text.trim().split(/\s+/)

const partyFields = words(
  'Счет РасчСчет ИНН КПП БИК Корсчет 1 2 3 4 Банк1 Банк2 Наименование ИИК БИН_ИИН КБЕ БанкНаименование БанкБИК',
).concat('')

/** The fields of a document, as in Russia and in Kazakhstan. */
const documentFields: ReadonlySet<string> = new Set([
  ...['Плательщик', 'Получатель'].flatMap((side) => partyFields.map((name) => `${side}${name}`)),
  ...words(`Номер Дата Сумма ДатаСписано ДатаПоступило КвитанцияДата КвитанцияВремя КвитанцияСодержание ВидПлатежа
    ВидОплаты Код КодНазПлатежа НазначениеПлатежа НазначениеПлатежа1 НазначениеПлатежа2 НазначениеПлатежа3
    НазначениеПлатежа4 НазначениеПлатежа5 НазначениеПлатежа6 СтатусСоставителя ПоказательКБК ОКАТО ОКТМО
    ПоказательОснования ПоказательПериода ПоказательНомера ПоказательДаты ПоказательТипа Очередность СрокАкцепта
    ВидАккредитива СрокПлатежа УсловиеОплаты1 УсловиеОплаты2 УсловиеОплаты3 ПлатежПоПредст ДополнУсловия
    НомерСчетаПоставщика ДатаОтсылкиДок КодДебитора УИП НомерДокумента ДатаДокумента ВидДокумента СуммаПриход
    СуммаРасход Валюта ДатаОперации ДатаВалютирования КодНазначенияПлатежа КНП КБК БИК`),
])

const amountFields: ReadonlySet<string> = new Set(
  words('Сумма СуммаПриход СуммаРасход НачальныйОстаток КонечныйОстаток ВсегоПоступило ВсегоСписано'),
)

/** Fields that decide whose money moved, how much and when. */
const decides = /^(?:Номер|Дата|Сумма|Валюта)|(?:[Сс]чет|ИИК|БИК)$/
const isPurpose = /^НазначениеПлатежа\d?$/

const amountPattern = /^[+-]?(?:\d{1,15}(?:\.\d{0,2})?|\.\d{1,2})$/

/** An amount as decimal text with a dot; `null` if it cannot be read, or only in two ways, such as `1,650`. */
const readAmount = (text: string): string | null => {
  const plain = withoutNoise(text.replace(/[\s\u00a0\u202f]/g, '').replace(',', '.'), 2)
  return amountPattern.test(plain)
    ? plain
        .replace(/^\+/, '')
        .replace(/^(-?)\./, '$10.')
        .replace(/\.$/, '')
    : null
}

/** Adds a line to the field before it; returns why that is not possible. */
const continueField = ({ name, fields, last }: Section, text: string): string | undefined => {
  if (name !== 'СекцияДокумент' || last === '' || decides.test(last))
    return 'The line is not a field (Name=value) of its section: correct it, or export the file again.'
  const before = fields.get(last) ?? ''
  if (before.length < maxContinued) fields.set(last, `${before} ${text}`)
  return undefined
}

/**
 * Adds a line to a section: a field, or the next line of the purpose, which may have `=` in it. So after a purpose,
 * only names of the format that have not come yet are fields. Returns what is wrong with the line.
 */
export const addLine = (
  section: Section,
  { name, value, text }: { readonly name: string; readonly value: string | undefined; readonly text: string },
): string | undefined => {
  const { fields, last } = section
  const before = fields.get(name) ?? ''
  const isText = isPurpose.test(last) && (!documentFields.has(name) || before !== '')
  if (value === undefined || isText) return continueField(section, text)
  section.last = name
  const read = amountFields.has(name) && value !== '' ? readAmount(value) : value
  if (read === null)
    return `The field ${name} is not an amount with one clear meaning, such as 1650.00: "${value.slice(0, 40)}". Correct it, or export the file again.`
  if (before === '') fields.set(name, read)
  else if (before !== read && decides.test(name))
    return `The section has the field ${name} twice, with different values: "${before.slice(0, 40)}" and "${read.slice(0, 40)}". Export the file again, or ask the bank for a corrected one.`
  return undefined
}

/** The first of the given fields that a section has. */
export const fieldOf = ({ fields }: Section, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const value = tidyText(fields.get(name))
    if (value !== null) return value
  }
  return null
}

const timePattern = /^(\d\d)\.(\d\d)\.(\d{4})(?:\s+([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?)?$/

/** `2026-01-31`, or with a time of day if it is not midnight, which banks write if they have none. */
export const readTime = (text: string | undefined): string | null => {
  const [, dayOfMonth = '', month = '', year = '', hours = '0', minutes = '00', seconds = '00'] =
    timePattern.exec(text?.trim() ?? '') ?? []
  if (!isDate(Number(year), Number(month), Number(dayOfMonth))) return null
  const time = `${hours.padStart(2, '0')}:${minutes}:${seconds}`
  return `${year}-${month}-${dayOfMonth}${time === '00:00:00' ? '' : `T${time}`}`
}

/** The first and the last day that a statement covers. */
export type Days = { readonly first: string; readonly last: string }

/** The days from ДатаНачала to ДатаКонца; `null` if one of them is missing. */
export const daysOf = ({ fields }: Section): Days | null => {
  const [first, last] = ['ДатаНачала', 'ДатаКонца'].map((name) => readTime(fields.get(name))?.slice(0, 10))
  return first === undefined || last === undefined ? null : { first, last }
}

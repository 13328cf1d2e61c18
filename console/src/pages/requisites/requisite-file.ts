import type { CsvRow } from '../../../../src/rules/statements/csv-table.ts'
import { type PaymentMethod, methodRules, paymentMethods } from '../../../../src/rules/values/payment-method.ts'
import { fieldsOf } from '../../../../src/operations/field.ts'
import { RecipientFields, WantedLimits } from '../../../../src/operations/requisites.ts'
import type { MerchantAnswer } from '../../../../src/operations/merchants.ts'
import type { FileRow } from '../../parts/import-csv.tsx'

/** Columns that a file of requisites must have. */
export const neededColumns = ['method', 'currency', 'bank', 'holder', 'number'] as const

const limitColumns = fieldsOf(WantedLimits).flatMap(({ name, kind }) =>
  kind === 'number' || kind === 'whole' ? name : [],
)

const recipientColumns = Object.keys(RecipientFields.properties)

/** Optional columns, the same as `payin requisites add --file` accepts. */
export const optionalColumns: readonly string[] = ['label', 'merchant', 'mode', ...recipientColumns, ...limitColumns]

const isMethod = (text: string): text is PaymentMethod => (paymentMethods as readonly string[]).includes(text)

/** Checks a row as far as that is possible without the service. */
export const readRow = (row: CsvRow, merchants: readonly MerchantAnswer[]): FileRow => {
  const { method = '', currency = '', bank = '', holder = '', number = '', label, merchant, mode } = row.cells
  const digits = number.replaceAll(/[\s()+-]/g, '')
  const owner = merchants.find(({ id, name }) => id === merchant || name === merchant)
  const limits = limitColumns.flatMap((name) => {
    const typed = row.cells[name]
    return typed === undefined ? [] : [[name, typed === 'none' ? null : Number(typed)] as const]
  })
  const recipient = recipientColumns.flatMap((name) => {
    const typed = row.cells[name]
    return typed === undefined ? [] : [[name, typed] as const]
  })
  const empty = neededColumns.filter((name) => row.cells[name] === undefined)
  const faults = [
    ...empty.map((name) => `${name} is empty`),
    ...(method !== '' && !isMethod(method) ? [`method is not one of ${paymentMethods.join(', ')}`] : []),
    ...(isMethod(method) && number !== '' && !methodRules[method].fits(digits)
      ? [`number must be ${methodRules[method].form}`]
      : []),
    ...(merchant !== undefined && owner === undefined ? [`there is no merchant ${merchant}`] : []),
    ...limits.filter(([, value]) => Number.isNaN(value)).map(([name]) => `${name} is not a number`),
  ]
  return {
    ...row,
    faults,
    wanted: {
      ...{ method, currency, bankIssuer: bank, holder, number: digits },
      ...(label === undefined ? {} : { label }),
      ...(mode === undefined ? {} : { mode }),
      ...(owner === undefined ? {} : { merchantId: owner.id }),
      ...(recipient.length === 0 ? {} : { recipient: Object.fromEntries(recipient) }),
      ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
    },
  }
}

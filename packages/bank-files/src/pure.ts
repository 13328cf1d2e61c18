// What needs no parser and nothing of Node.js, so that it also works in a browser.
export { distanceOf, formatDecimal, maxMinor, parseDecimal, withoutNoise } from './amount.ts'
export { bookedInstant, withDayAtAccount, withoutMidnight } from './booked.ts'
export { currencyDecimals, isCurrency, otherDecimals, readCurrency } from './currency.ts'
export { FaultList, FileFault, type LineFault } from './file-fault.ts'
export { formatList, formats, type StatementFormat, statementFormats } from './formats.ts'
export { isIban } from './iban.ts'
export {
  type OrderBank,
  type OrderParty,
  type PaymentFormat,
  paymentFormats,
  type PaymentOrder,
  type PaymentOrders,
} from './payment-orders/payment-order.ts'
export { checkPayer, checkPaymentOrder, writePaymentOrders } from './payment-orders/write-payment-orders.ts'
export { isRunning } from './running-reference.ts'
export {
  type RowKind,
  type SkippedRow,
  type StatementBalance,
  type StatementCharset,
  statementCharsets,
  type StatementRow,
} from './statement.ts'
export { type CsvRole, csvRoles } from './tables/csv-columns.ts'
export {
  csvDateOrders,
  csvDelimiters,
  type CsvMapping,
  directionBases,
  directionBasis,
  type GivenMapping,
} from './tables/csv-mapping.ts'
export { type CsvCounts, type CsvError, explainCsvError, RecordLines } from './tables/csv-records.ts'
export { letters, plainAccount, present } from './texts.ts'
export {
  checkWritten,
  writeStatement,
  type WrittenFormat,
  writtenFormats,
} from './written-statements/write-statement.ts'
export { changeOf, type WrittenEntry, type WrittenStatement } from './written-statements/written-statement.ts'

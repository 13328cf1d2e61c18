import { statement, text } from '../database/statement.ts'

/** Currencies that payments are in. */
export const listPaymentCurrencies = statement({
  name: 'list_payment_currencies',
  parameters: {},
  row: { currency: text },
  text: `select distinct currency from payments`,
})

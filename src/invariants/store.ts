import { query, text } from '../database/query.ts'

/** Currencies that payments are in. */
export const listPaymentCurrencies = query('list_payment_currencies', {
  row: { currency: text },
  text: `select distinct currency from payments`,
})

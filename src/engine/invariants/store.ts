import { array, query, text, uuid } from 'payin-database'

export const listPaymentCurrencies = query('list_payment_currencies', {
  row: { currency: text },
  text: `select distinct currency from payments`,
})

/** Currencies of these payments. */
export const listCurrenciesOf = query('list_currencies_of', {
  planned: 'whole',
  parameters: { merchants: array(uuid), ids: array(uuid) },
  row: { currency: text },
  text: `select distinct currency from unnest(:merchants, :ids) as each (merchant_id, id)
    join payments using (merchant_id, id)`,
})

import { bigint, columnsOf, instant, nullable, query, text } from '../../database/query.ts'

const rateRow = { currency: text, price: bigint, createdAt: instant, source: text, validUntil: nullable(instant) }

/** The last rate of every currency. */
export const listLatestRates = query('list_latest_rates', {
  row: rateRow,
  text: `select distinct on (currency) ${columnsOf(rateRow)}
    from rates where quote = 'USDT' order by currency, created_at desc`,
})

/** Adds a rate. */
export const insertRate = query('insert_rate', {
  parameters: rateRow,
  text: `insert into rates (${columnsOf(rateRow)}, quote)
    values (:currency, :price, :createdAt, :source, :validUntil, 'USDT')
    on conflict (currency, quote, created_at) do update
      set price = excluded.price, source = excluded.source, valid_until = excluded.valid_until`,
})

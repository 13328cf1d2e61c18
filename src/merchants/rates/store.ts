import { bigint, instant, integer, nullable, query, text } from '../../database/query.ts'

const rateRow = { currency: text, price: bigint, createdAt: instant, source: text, validUntil: nullable(instant) }

/** The last rate of every currency. */
export const listLatestRates = query('list_latest_rates', {
  row: rateRow,
  text: `select distinct on (currency) :row
    from rates where quote = 'USDT' order by currency, created_at desc`,
})

/** The last price of a currency. */
export const findPrice = query('find_price', {
  parameters: { currency: text },
  row: { price: bigint },
  text: `select price from rates where currency = :currency and quote = 'USDT' order by created_at desc limit 1`,
})

export const insertRate = query('insert_rate', {
  parameters: rateRow,
  text: `insert into rates (:fields, quote) values (:values, 'USDT')
    on conflict (currency, quote, created_at) do update
      set price = excluded.price, source = excluded.source, valid_until = excluded.valid_until`,
})

/** Rates of a currency since a time: the last of each step, and the one before the first step. */
export const selectRateHistory = query('list_rate_history', {
  parameters: { currency: text, since: instant, stepMs: integer },
  row: { createdAt: instant, price: bigint, source: text },
  text: `(select created_at, price, source from rates
      where currency = :currency and quote = 'USDT' and created_at < :since order by created_at desc limit 1)
    union all
    (select distinct on (step) created_at, price, source from (
        select created_at, price, source,
          floor(extract(epoch from created_at) * 1000 / :stepMs) as step
        from rates where currency = :currency and quote = 'USDT' and created_at >= :since) as stepped
      order by step, created_at desc)
    order by created_at`,
})

import { array, bigint, boolean, instant, integer, later, nullable, query, table, text } from 'payin-database'

export const rateRow = {
  currency: text,
  price: bigint,
  createdAt: instant,
  source: text,
  validUntil: nullable(instant),
}

export const listLatestRates = query('list_latest_rates', {
  parameters: { except: array(text) },
  row: rateRow,
  text: `select distinct on (currency) :row
    from rates where quote = 'USDT' and source <> all (:except) order by currency, created_at desc`,
})

export const findPrice = query('find_price', {
  parameters: { currency: text },
  row: { price: bigint },
  text: `select price from rates where currency = :currency and quote = 'USDT' and source <> 'demo'
    order by created_at desc limit 1`,
})

/**
 * The lowest price of a currency within a time, of the one in force at its start, and of the one on which two people last
 * agreed, or else the first one; null if it never had one, 0 if one person alone has set the first one.
 */
export const findLowestPrice = query('find_lowest_price', {
  parameters: { currency: text, since: instant, until: instant },
  row: { price: nullable(bigint) },
  text: `select min(price) as price from (
      (select price from rates where currency = :currency and quote = 'USDT' and created_at > :since
        and created_at <= :until)
      union all
      (select price from rates where currency = :currency and quote = 'USDT' and created_at <= :since
        order by created_at desc limit 1)
      union all
      (select agreed_price from rate_proposals
        where currency = :currency and (agreed_at is null or agreed_at <= :until))
      union all
      (select price from rates
        where currency = :currency and quote = 'USDT' and source <> 'demo' and created_at <= :until
          and not exists (select from rate_proposals where currency = :currency and agreed_price is not null)
        order by created_at limit 1)
    ) as found`,
})

export const insertRate = query('insert_rate', {
  parameters: rateRow,
  text: `insert into rates (:fields, quote) values (:values, 'USDT')
    on conflict (currency, quote, created_at) do update
      set price = excluded.price, source = excluded.source, valid_until = excluded.valid_until`,
})

/**
 * Dates rates after `latest`, set by a clock that was ahead, a microsecond apart from now on, and ends those that have
 * an end; returns them, up to `limit`.
 */
export const redateRates = query('redate_rates', {
  parameters: { latest: instant, now: instant, limit: integer },
  row: { currency: text },
  text: `update rates set created_at = ahead.dated, valid_until = ahead.ends from (
      select currency, quote, created_at, case when valid_until is not null then :now end as ends,
        ${later(
          'greatest(:now, (select max(created_at) from rates where created_at <= :latest))',
          "row_number() over (order by created_at) * interval '1 microsecond'",
        )} as dated
      from rates where created_at > :latest order by created_at limit :limit
    ) as ahead
    where rates.currency = ahead.currency and rates.quote = ahead.quote and rates.created_at = ahead.created_at
    returning rates.currency`,
})

/**
 * The lowest and highest rates of currencies since a time, with the one in force then, but for overrides; and each price
 * of overrides in that time. Made-up rates are left out.
 */
export const listRateRanges = query('list_rate_ranges', {
  rows: { currency: text, since: instant },
  parameters: { overrideSource: text, demoSource: text },
  row: {
    currency: text,
    isOverride: boolean,
    lowest: bigint,
    highest: bigint,
  },
  // An override that was ended by hand is a rate that was never valid.
  text: `select input.currency, source = :overrideSource as is_override, min(price) as lowest, max(price) as highest
    from :rows cross join lateral (
      (select price, source from rates
        where currency = input.currency and quote = 'USDT' and source <> :demoSource and created_at > input.since
          and (valid_until is null or valid_until > created_at))
      union all
      (select price, source from rates
        where currency = input.currency and quote = 'USDT' and source <> :demoSource and created_at <= input.since
          and (valid_until is null or valid_until > created_at)
        order by created_at desc limit 1)
      union all
      (select price, source from rates
        where currency = input.currency and quote = 'USDT' and source not in (:overrideSource, :demoSource)
          and created_at <= input.since and (valid_until is null or valid_until > created_at)
        order by created_at desc limit 1)
    ) as found group by input.currency, is_override, case when source = :overrideSource then price end`,
})

const proposed = {
  price: bigint,
  proposedBy: text,
  proposedAt: instant,
  source: nullable(text),
  endsAt: nullable(instant),
}

const proposal = {
  price: nullable(bigint),
  proposedBy: nullable(text),
  proposedAt: nullable(instant),
  source: nullable(text),
  endsAt: nullable(instant),
  agreedAt: nullable(instant),
  agreedPrice: nullable(bigint),
}

const rateProposals = table('rate_proposals', { currency: text })

/** The price outside the band that waits for another operator, if any, and when and on which two last agreed that is not
 * an override's; locked. */
export const findProposal = rateProposals.lock('find_rate_proposal', { currency: text, ...proposal })

export const listProposals = query('list_rate_proposals', {
  parameters: { since: instant },
  row: { currency: text, ...proposed },
  text: `select :row from rate_proposals where price is not null and proposed_at > :since order by currency`,
})

/** When two people last agreed on a price outside the band that is not an override's, by currency. */
export const listAgreements = query('list_rate_agreements', {
  row: { currency: text, agreedAt: instant },
  text: `select currency, agreed_at from rate_proposals where agreed_at is not null`,
})

export const upsertProposal = rateProposals.upsert('propose_rate', proposal)

/** Drops the price of a currency that waits for another operator, if one of some sources would set it. */
export const dropProposal = query('drop_rate_proposal', {
  parameters: { currency: text, sources: array(text) },
  text: `update rate_proposals set price = null, proposed_by = null, proposed_at = null, source = null, ends_at = null
    where currency = :currency and source = any (:sources)`,
})

/**
 * Rates of a currency since a time, the oldest first: of each step the last, the lowest and the highest, and
 * the one in effect when the first step began.
 */
export const selectRateHistory = query('list_rate_history', {
  parameters: { currency: text, since: instant, stepMs: integer },
  row: { createdAt: instant, price: bigint, source: text },
  text: `(select :row from rates
      where currency = :currency and quote = 'USDT' and created_at < :since order by created_at desc limit 1)
    union all
    (select :row from (
        select *, row_number() over (partition by step order by price, created_at desc) as from_lowest,
          row_number() over (partition by step order by price desc, created_at desc) as from_highest,
          row_number() over (partition by step order by created_at desc) as from_last
        from (
          select created_at, price, source, floor(extract(epoch from created_at) * 1000 / :stepMs) as step
          from rates where currency = :currency and quote = 'USDT' and created_at >= :since) as stepped
      ) as ranked
      where 1 in (from_lowest, from_highest, from_last))
    order by created_at`,
})

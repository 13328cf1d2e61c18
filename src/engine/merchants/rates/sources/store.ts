import {
  array,
  bigint,
  boolean,
  given,
  instant,
  integer,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { RateSourceKind } from '../../../../rules/money/rate-source.ts'
import { rateRow } from '../store.ts'

const wish = {
  name: text,
  rank: integer,
  url: nullable(text),
  pointer: nullable(text),
  fixedPrice: nullable(bigint),
  spreadPpm: integer,
  maxStepPpm: integer,
  maxDayPpm: integer,
  everyMs: integer,
  maxAgeMs: integer,
  enabled: boolean,
}

const prices = {
  price: nullable(bigint),
  pricedAt: nullable(instant),
  heldPrice: nullable(bigint),
  heldSince: nullable(instant),
  failingSince: nullable(instant),
  lastError: nullable(text),
  decidedAt: nullable(instant),
}

const sourceRow = {
  id: uuid,
  currency: text,
  kind: word<RateSourceKind>(),
  ...wish,
  ...prices,
  nextFetchAt: instant,
}

export const selectSources = query('list_rate_sources', {
  row: sourceRow,
  text: `select :row from rate_sources where removed_at is null order by currency, rank, id`,
})

/** All sources, locked: one transaction at a time decides their effect on rates. */
export const lockSources = query('lock_rate_sources', {
  row: sourceRow,
  text: `select :row from rate_sources where removed_at is null order by id for no key update`,
})

/** Adds a source; no row if another one of its currency has the name, even if that is being added at the moment. */
export const insertSource = query('insert_rate_source', {
  parameters: { ...sourceRow, createdAt: instant },
  row: { id: uuid },
  text: `insert into rate_sources (:fields) values (:values)
    on conflict (currency, name) where removed_at is null do nothing returning id`,
})

export const updateSourceRow = query('update_rate_source', {
  parameters: {
    id: uuid,
    ...wish,
    price: nullable(bigint),
    pricedAt: nullable(instant),
    nextFetchAt: instant,
  },
  text: `update rate_sources set ${given(wish)}, price = :price, priced_at = :pricedAt,
      held_price = null, held_since = null, failing_since = null, last_error = null, next_fetch_at = :nextFetchAt
    where id = :id`,
})

export const markRemoved = query('remove_rate_source', {
  parameters: { id: uuid, now: instant },
  text: `update rate_sources set removed_at = :now, enabled = false where id = :id`,
})

/**
 * Takes the sources that are due, and those that would be later than an interval after `latest`, by a clock that was
 * ahead: the taker fetches them, and nobody else before their next time.
 */
export const takeDueSources = query('take_due_rate_sources', {
  parameters: { now: instant, latest: instant, limit: integer },
  row: sourceRow,
  // The inner query computes the next time: Citus does not allow such a sum of a column in an update's SET clause.
  text: `update rate_sources set next_fetch_at = due.next from (
      select id as due_id, :now + every_ms * interval '1 millisecond' as next from rate_sources
      where enabled and kind = 'json' and removed_at is null and (next_fetch_at <= :now or next_fetch_at > :latest + every_ms * interval '1 millisecond')
      order by next_fetch_at limit :limit for update skip locked
    ) as due where id = due.due_id returning rate_sources.:row`,
})

export const updatePrices = table('rate_sources', { id: uuid }).updateAll('update_rate_source_prices', prices)

const fetchRow = {
  id: uuid,
  sourceId: uuid,
  at: instant,
  outcome: word<'accepted' | 'held' | 'failed' | 'refused'>(),
  price: nullable(bigint),
  error: nullable(text),
  decidedBy: nullable(text),
}

const rateFetches = table('rate_fetches', { id: uuid })

export const insertFetches = rateFetches.insertAll('insert_rate_fetches', fetchRow)

export const selectFetches = rateFetches.page('list_rate_fetches', fetchRow, {
  filter: { sourceId: uuid },
  where: 'source_id = :sourceId',
})

export const deleteOldFetches = query('delete_old_rate_fetches', {
  parameters: { before: instant, limit: integer },
  row: { id: uuid },
  text: `delete from rate_fetches where id in (select id from rate_fetches where at < :before limit :limit) returning id`,
})

const override = { price: bigint, endsAt: instant, reason: text, setBy: text, setAt: instant }

export const selectOverrides = query('list_rate_overrides', {
  parameters: { now: instant },
  row: { currency: text, ...override },
  text: `select :row from rate_overrides where ends_at > :now order by currency`,
})

export const upsertOverride = table('rate_overrides', { currency: text }).upsert('upsert_rate_override', override)

export const deleteOverride = query('delete_rate_override', {
  parameters: { currency: text, now: instant },
  row: { currency: text },
  text: `delete from rate_overrides where currency = :currency and ends_at > :now returning currency`,
})

export const markDecided = query('mark_rate_sources_decided', {
  parameters: { currency: text, at: instant },
  text: `update rate_sources set decided_at = :at where currency = :currency and removed_at is null`,
})

/** The rates of currencies at a time, or the first ones after it, without those of some origins. */
export const listRatesAt = query('list_rates_at', {
  rows: { currency: text, at: instant },
  parameters: { except: array(text) },
  row: rateRow,
  text: `select found.* from :rows cross join lateral (
      select * from (
        (select :row from rates
          where currency = input.currency and quote = 'USDT' and source <> all (:except) and created_at <= input.at
          order by created_at desc limit 1)
        union all
        (select :row from rates
          where currency = input.currency and quote = 'USDT' and source <> all (:except) and created_at > input.at
          order by created_at limit 1)
      ) as nearest order by created_at limit 1
    ) as found`,
})

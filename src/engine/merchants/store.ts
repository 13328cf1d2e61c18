import {
  array,
  bigint,
  boolean,
  type Codec,
  fewRows,
  inSpan,
  instant,
  integer,
  jsonb,
  jsonbWithAmounts,
  nullable,
  query,
  table,
  text,
  typedName,
  uuid,
  word,
} from 'payin-database'
import type { Scope } from '../../rules/members/access.ts'
import {
  defaultMerchantSettings,
  type Merchant,
  type MerchantSettings,
  termAmounts,
  type Terms,
} from '../../rules/merchants/merchant.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'

const stored = jsonb<MerchantSettings>()

/** Settings that were added after the row was written have their default values. */
const settings: Codec<MerchantSettings> = {
  ...stored,
  decode: (value) => ({ ...defaultMerchantSettings, ...stored.decode(value) }),
}

const merchantRow = {
  id: uuid,
  name: text,
  mode: word<Merchant['mode']>(),
  status: word<Merchant['status']>(),
  settings,
  createdAt: instant,
}

export const listMerchants = query('list_merchants', {
  row: merchantRow,
  text: `select :row from merchants order by id`,
})

export const lockMerchantRows = query('lock_merchants', {
  parameters: { ids: array(uuid) },
  row: { id: uuid },
  // Excludes other creates for these merchants while their open payments are counted.
  text: `select id from merchants where id = any(:ids) order by id for update`,
})

const merchants = table('merchants', { id: uuid })

export const insertMerchant = merchants.insert('insert_merchant', { ...merchantRow, reportedUntil: nullable(instant) })

export const updateMerchantRow = merchants.update('update_merchant', {
  name: text,
  status: word<Merchant['status']>(),
  settings,
})

export const noteScheduled = merchants.update('note_scheduled', { scheduledAt: instant })

/** A live merchant whose schedule has a new span since it was last taken, locked; null: it never was. */
export const lockScheduled = query('lock_merchants_with_due_settlement', {
  parameters: { day: instant, week: instant, month: instant },
  row: { id: uuid, settings, scheduledAt: nullable(instant) },
  text: `select id, settings, scheduled_at from merchants
    where mode = 'live' and status = 'active' and settings ->> 'settlementEvery' is not null
      and coalesce(scheduled_at, '-infinity') < case settings ->> 'settlementEvery' when 'day' then :day::timestamptz
        when 'week' then :week else :month end
    order by id limit 1 for update skip locked`,
})

export const noteReported = merchants.update('note_reported', { reportedUntil: instant })

/** A merchant with a day or month that ended before these times and was not reported yet, locked. */
export const lockReported = query('lock_merchants_with_due_report', {
  parameters: { day: instant, month: instant },
  row: { id: uuid, settings, reportedUntil: instant },
  text: `select id, settings, reported_until from merchants
    where reported_until < case settings ->> 'reportEvery' when 'day' then :day::timestamptz when 'month' then :month end
    order by reported_until, id limit 1 for update skip locked`,
})

const terms = jsonbWithAmounts<Partial<Terms>>(termAmounts)

export const listTerms = query('list_merchant_terms', {
  row: { merchantId: uuid, method: word<PaymentMethod>(), terms },
  text: `select :row from merchant_terms`,
})

const merchantTerms = table('merchant_terms', { merchantId: uuid, method: word<PaymentMethod>() })

export const findTerms = merchantTerms.find('find_merchant_terms', { terms })

export const upsertTerms = merchantTerms.upsert('upsert_merchant_terms', { terms })

const limitRow = { merchantId: uuid, currency: text, min: bigint, max: bigint }

/** All bounds of amounts, the shared ones under the nil UUID. */
export const selectLimits = query('list_currency_limits', {
  row: limitRow,
  text: `select merchant_id, currency, min_amount as min, max_amount as max from currency_limits order by currency`,
})

export const upsertLimits = query('upsert_currency_limits', {
  parameters: limitRow,
  text: `insert into currency_limits (merchant_id, currency, min_amount, max_amount) values (:values)
    on conflict (merchant_id, currency) do update set min_amount = excluded.min_amount, max_amount = excluded.max_amount`,
})

const newToken = {
  id: uuid,
  merchantId: uuid,
  name: text,
  prefix: text,
  scopes: jsonb<readonly Scope[]>(),
  allowList: jsonb<readonly string[]>(),
  createdAt: instant,
  expiresAt: nullable(instant),
}
const tokenRow = { ...newToken, revokedAt: nullable(instant) }
const accessTokens = table('access_tokens', { hash: text })

export const insertToken = accessTokens.insert('insert_access_token', { ...newToken, hash: text })

export const findToken = accessTokens.find('find_access_token', tokenRow)

export const findTokenById = table('access_tokens', { id: uuid }).find('find_access_token_by_id', tokenRow)

export const selectTokens = table('access_tokens', { merchantId: uuid }).select(
  'list_access_tokens',
  tokenRow,
  'order by created_at, id',
)

/** Revokes a token or moves its expiry forward. */
export const markTokenEnded = query('end_access_token', {
  // With `at` in the past or now it is revoked; in the future, a rotated token still works for a while.
  parameters: { id: uuid, at: instant, revoke: boolean },
  row: { id: uuid },
  text: `update access_tokens set
      revoked_at = case when :revoke then coalesce(revoked_at, :at) else revoked_at end,
      expires_at = case when :revoke then expires_at else least(coalesce(expires_at, :at), :at) end
    where id = :id returning id`,
})

export const listLogos = query('list_merchant_logos', {
  row: { merchantId: uuid, hash: text, width: nullable(integer), height: nullable(integer) },
  text: `select :row from merchant_logos`,
})

/** The picture with a hash, in Base64. */
export const selectLogo = query('find_merchant_logo', {
  parameters: { hash: text },
  row: { contentType: text, content: text },
  text: `select content_type, content from merchant_logos where hash = :hash limit 1`,
})

const merchantLogos = table('merchant_logos', { merchantId: uuid })

export const upsertLogo = merchantLogos.upsert('upsert_merchant_logo', {
  hash: text,
  contentType: text,
  content: text,
  width: integer,
  height: integer,
})

export const deleteLogo = merchantLogos.delete('delete_merchant_logo')

export const findTokens = query('find_access_tokens', {
  parameters: { merchantIds: array(uuid), ...typedName, now: instant },
  row: { merchantId: uuid, id: uuid, name: text, prefix: text, isOver: boolean },
  text: `select merchant_id, id, name, prefix,
      revoked_at is not null or coalesce(expires_at <= :now, false) as is_over
    from access_tokens
    where merchant_id = any(:merchantIds)
      and (lower(name) = lower(:typed) or prefix = :typed or (${inSpan('access_tokens')}))
    order by is_over, id desc ${fewRows}`,
})

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

export const insertMerchant = query('insert_merchant', {
  parameters: merchantRow,
  text: `insert into merchants (:fields) values (:values)`,
})

export const updateMerchantRow = query('update_merchant', {
  parameters: { id: uuid, name: text, status: word<Merchant['status']>(), settings },
  text: `update merchants set name = :name, status = :status, settings = :settings where id = :id`,
})

const terms = jsonbWithAmounts<Partial<Terms>>(termAmounts)

export const listTerms = query('list_merchant_terms', {
  row: { merchantId: uuid, method: word<PaymentMethod>(), terms },
  text: `select :row from merchant_terms`,
})

export const upsertTerms = query('upsert_merchant_terms', {
  parameters: { merchantId: uuid, method: word<PaymentMethod>(), terms },
  text: `insert into merchant_terms (:fields) values (:values)
    on conflict (merchant_id, method) do update set terms = excluded.terms`,
})

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
export const insertToken = query('insert_access_token', {
  parameters: { ...newToken, hash: text },
  text: `insert into access_tokens (:fields) values (:values)`,
})

export const findToken = query('find_access_token', {
  parameters: { hash: text },
  row: tokenRow,
  text: `select :row from access_tokens where hash = :hash`,
})

export const findTokenById = query('find_access_token_by_id', {
  parameters: { id: uuid },
  row: tokenRow,
  text: `select :row from access_tokens where id = :id`,
})

export const selectTokens = query('list_access_tokens', {
  parameters: { merchantId: uuid },
  row: tokenRow,
  text: `select :row from access_tokens where merchant_id = :merchantId order by created_at, id`,
})

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

export const upsertLogo = query('upsert_merchant_logo', {
  parameters: { merchantId: uuid, hash: text, contentType: text, content: text, width: integer, height: integer },
  text: `insert into merchant_logos (:fields) values (:values)
    on conflict (merchant_id) do update
      set hash = excluded.hash, content_type = excluded.content_type, content = excluded.content,
        width = excluded.width, height = excluded.height`,
})

export const deleteLogo = query('delete_merchant_logo', {
  parameters: { merchantId: uuid },
  text: `delete from merchant_logos where merchant_id = :merchantId`,
})

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

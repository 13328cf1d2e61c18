import { bigint, byName, instant, integer, jsonb, nullable, query, table, text, uuid, word } from 'payin-database'
import type { DisabledReason } from '../../../rules/notices/endpoint.ts'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'
import type { NotificationKind } from '../../../rules/notices/notification.ts'

const key = { merchantId: uuid, id: uuid }
const wish = { url: text, description: text, kinds: jsonb<readonly NotificationKind[]>() }
const state = {
  status: word<'enabled' | 'disabled'>(),
  disabledReason: nullable(word<DisabledReason>()),
  disabledAt: nullable(instant),
}
const endpointRow = {
  ...key,
  ...wish,
  ...state,
  createdAt: instant,
  previousSecretUntil: nullable(instant),
  /** For a listener, whose deliveries a program of its merchant takes: until when it is kept. */
  listeningUntil: nullable(instant),
  failingSince: nullable(instant),
}

const selected = `select endpoints.merchant_id, endpoints.id, endpoints.url, endpoints.description, endpoints.kinds,
    endpoints.status, endpoints.disabled_reason, endpoints.disabled_at, endpoints.created_at,
    endpoints.previous_secret_until, endpoints.listening_until, lanes.failing_since
  from notification_endpoints as endpoints
  left join delivery_lanes as lanes on lanes.merchant_id = endpoints.merchant_id and lanes.endpoint_id = endpoints.id`

export const selectEndpoints = query('list_endpoints', {
  parameters: { merchantId: uuid },
  row: endpointRow,
  text: `${selected}
    where endpoints.merchant_id = :merchantId and endpoints.status <> 'removed' order by endpoints.id`,
})

/** Endpoints of all merchants that the service has disabled or that are failing, by merchant, the oldest first. */
export const selectTroubledEndpoints = query('list_troubled_endpoints', {
  parameters: { limit: integer },
  row: endpointRow,
  text: `${selected}
    where endpoints.disabled_reason in ('gone', 'failing')
      or (endpoints.status = 'enabled' and lanes.failing_since is not null)
    order by endpoints.merchant_id, endpoints.id limit :limit`,
})

const ofKey = `${selected}
    where endpoints.merchant_id = :merchantId and endpoints.id = :id and endpoints.status <> 'removed'`

export const selectEndpoint = query('find_endpoint', {
  parameters: key,
  row: endpointRow,
  text: ofKey,
})

export const lockEndpointRow = query('lock_endpoint', {
  parameters: key,
  row: endpointRow,
  // Excludes every other change of the endpoint, so that none is overwritten with older values, and sees a concurrent
  // one, such as disabling it after a 410.
  text: `${ofKey} for no key update of endpoints`,
})

export const findMode = query('find_merchant_mode', {
  parameters: { merchantId: uuid },
  row: { mode: word<MerchantMode>() },
  text: `select mode from merchants where id = :merchantId`,
})

const notificationEndpoints = table('notification_endpoints', key)

export const insertEndpoint = notificationEndpoints.insert('insert_endpoint', {
  ...wish,
  ...{ status: state.status, queuedAfter: bigint, secretSealed: text, createdAt: instant },
})

export const updateEndpointRow = query('update_endpoint', {
  parameters: { ...key, ...wish, ...state, queuedAfter: nullable(bigint) },
  text: `update notification_endpoints set url = :url, description = :description, kinds = :kinds, status = :status,
      disabled_reason = :disabledReason, disabled_at = :disabledAt, queued_after = coalesce(:queuedAfter, queued_after)
    where merchant_id = :merchantId and id = :id`,
})

/** Clears the failures of an endpoint's lane: everything that failed is tried again, without a pause. */
export const forgetFailures = query('forget_endpoint_failures', {
  parameters: { ...key, now: instant },
  text: `update delivery_lanes set forward_since = least(forward_since, failing_since), failures = 0,
      failing_since = null, paused_until = '1970-01-01 00:00:00+00',
      wake_at = least(wake_at, :now)
    where merchant_id = :merchantId and endpoint_id = :id`,
})

export const markRemoved = query('remove_endpoint', {
  parameters: key,
  row: { id: uuid },
  text: `update notification_endpoints set status = 'removed', disabled_reason = null, disabled_at = null,
      secret_sealed = '', previous_secret_sealed = null, previous_secret_until = null
    where merchant_id = :merchantId and id = :id and status <> 'removed' returning id`,
})

/** Disables an endpoint if it is enabled and has this address; otherwise returns no row. */
export const markDisabled = query('disable_endpoint', {
  parameters: { ...key, url: text, reason: word<DisabledReason>(), now: instant },
  row: { id: uuid },
  text: `update notification_endpoints set status = 'disabled', disabled_reason = :reason, disabled_at = :now
    where merchant_id = :merchantId and id = :id and url = :url and status = 'enabled' returning id`,
})

/** Replaces the secret; the previous one signs until `previousUntil`, or stops immediately. */
export const replaceSecret = query('replace_endpoint_secret', {
  parameters: { ...key, secretSealed: text, previousUntil: nullable(instant) },
  text: `update notification_endpoints set secret_sealed = :secretSealed,
      previous_secret_sealed = case when :previousUntil is null then null else secret_sealed end,
      previous_secret_until = :previousUntil
    where merchant_id = :merchantId and id = :id`,
})

/** Endpoints of merchants by address, host, description or shortened id. */
export const findEndpoints = byName(
  'find_endpoints',
  'endpoints',
  { merchantId: uuid, id: uuid, url: text },
  `(endpoints.url = :typed or split_part(endpoints.url, '/', 3) = lower(:typed)
      or lower(endpoints.description) = lower(:typed))`,
  `select merchant_id, id, url from notification_endpoints as endpoints
    where endpoints.merchant_id = owner.id and endpoints.status <> 'removed'`,
)

/** Makes an endpoint a listener, or extends its time; no row if it is not a listener, or removed. */
export const listenUntil = query('listen_until', {
  parameters: { ...key, until: instant },
  row: { id: uuid },
  text: `update notification_endpoints set listening_until = :until
    where merchant_id = :merchantId and id = :id and status = 'enabled' and listening_until is not null returning id`,
})

export const startListening = notificationEndpoints.update('start_listening', { listeningUntil: instant })

export const selectSilentListeners = query('select_silent_listeners', {
  parameters: { now: instant, limit: integer },
  row: key,
  text: `select merchant_id, id from notification_endpoints where listening_until < :now and status <> 'removed'
    order by merchant_id, id limit :limit`,
})

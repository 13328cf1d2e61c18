import { instant, integer, query, uuid } from '../../database/query.ts'

const key = { merchantId: uuid, id: uuid }

/** Makes an endpoint a listener, or lets one listen for longer; no row where it is none, or removed. */
export const listenUntil = query('listen_until', {
  parameters: { ...key, until: instant },
  row: { id: uuid },
  text: `update notification_endpoints set listening_until = :until
    where merchant_id = :merchantId and id = :id and status = 'enabled' and listening_until is not null returning id`,
})

/** Makes a new endpoint a listener. */
export const startListening = query('start_listening', {
  parameters: { ...key, until: instant },
  text: `update notification_endpoints set listening_until = :until where merchant_id = :merchantId and id = :id`,
})

/** Listeners whose time is over. */
export const selectSilentListeners = query('select_silent_listeners', {
  parameters: { now: instant, limit: integer },
  row: key,
  text: `select merchant_id, id from notification_endpoints where listening_until < :now and status <> 'removed'
    order by merchant_id, id limit :limit`,
})

import { array, bigint, boolean, instant, integer, nullable, query, table, text, uuid } from 'payin-database'

const seen = {
  id: uuid,
  at: instant,
  operation: text,
  method: text,
  path: text,
  status: integer,
  code: nullable(text),
  durationMs: integer,
  times: integer,
}
const bodies = { requestBody: nullable(text), answerBody: nullable(text) }

const merchantRequests = table('merchant_requests', { merchantId: uuid, id: uuid })

/** Writes requests; a set that is written twice, because its answer was lost, is stored once. */
export const insertRequests = merchantRequests.insertAll(
  'insert_merchant_requests',
  { merchantId: uuid, ...seen, ...bodies },
  { isOnce: true },
)

export const selectRequests = merchantRequests.page('list_merchant_requests', seen, {
  filter: { merchantId: uuid, isFailed: boolean },
  where: 'merchant_id = :merchantId and (not :isFailed or status >= 400)',
})

export const selectRequest = merchantRequests.find('get_merchant_request', {
  ...seen,
  ...bodies,
})

/** The request with an id, if it is of one of these merchants; one row at most. */
export const listRequestsById = query('list_merchant_requests_by_id', {
  planned: 'each-time',
  parameters: { merchantIds: array(uuid), id: uuid },
  row: { merchantId: uuid, ...seen },
  text: `select :row from merchant_requests where merchant_id = any(:merchantIds) and id = :id`,
})

export const deleteRequests = query('delete_merchant_requests', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  text: `with gone as (
      delete from merchant_requests where (merchant_id, id) in (
        select merchant_id, id from merchant_requests where at < :before order by at limit :limit)
      returning 1
    ) select count(*) as deleted from gone`,
})

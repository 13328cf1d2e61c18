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

/** Writes requests; a set that is written twice, because its answer was lost, is stored once. */
export const insertRequests = query('insert_merchant_requests', {
  rows: { merchantId: uuid, ...seen, ...bodies },
  text: `insert into merchant_requests (:columns) select :columns from :rows on conflict do nothing`,
})

export const selectRequests = query('list_merchant_requests', {
  planned: 'each-time',
  parameters: { merchantId: uuid, isFailed: boolean, before: nullable(uuid), limit: integer },
  row: seen,
  text: `select :row from merchant_requests
    where merchant_id = :merchantId and (not :isFailed or status >= 400) and (:before is null or id < :before)
    order by id desc limit :limit`,
})

export const selectRequest = table('merchant_requests', { merchantId: uuid, id: uuid }).find('get_merchant_request', {
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

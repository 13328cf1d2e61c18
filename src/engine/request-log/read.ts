import type { Context } from '../context.ts'
import { writeRequests } from './note-request.ts'
import { listRequestsById, selectFailedRequests, selectRequest, selectRequests } from './store.ts'

type Row<Query> = Query extends { decode(row: never): infer Decoded } ? Decoded : never

/** A request of a merchant, without its bodies. */
export type RequestSummary = Row<typeof selectRequests>
/** A request of a merchant with its bodies. */
export type LoggedRequest = Row<typeof selectRequest>

/** After all ids. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A merchant's requests, newest first, including those that this node has not written yet. */
export const listRequests = async (
  context: Context,
  merchantId: string,
  {
    outcome,
    before,
    limit,
  }: { readonly outcome: 'all' | 'failed'; readonly before: string | null; readonly limit: number },
): Promise<readonly RequestSummary[]> => {
  await writeRequests(context)
  return context.query(outcome === 'failed' ? selectFailedRequests : selectRequests, {
    merchantId,
    before: before ?? lastId,
    limit,
  })
}

/** A request of a merchant with its bodies; undefined if it does not exist. */
export const findRequest = async (
  context: Context,
  merchantId: string,
  id: string,
): Promise<LoggedRequest | undefined> => {
  await writeRequests(context)
  return (await context.query(selectRequest, { merchantId, id }))[0]
}

/** The request with an id, if it is of one of these merchants; none if it was not logged, or only counted. */
export const findRequestsById = async (
  context: Context,
  merchantIds: readonly string[],
  id: string,
): Promise<readonly Row<typeof listRequestsById>[]> => {
  await writeRequests(context)
  return context.query(listRequestsById, { merchantIds, id })
}

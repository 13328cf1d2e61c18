import type { Context } from '../context.ts'
import { writeRequests } from './note-request.ts'
import { listRequestsById, selectRequest, selectRequests } from './store.ts'

/** A request of a merchant, without its bodies. */
export type RequestSummary = ReturnType<typeof selectRequests.decode>
/** A request of a merchant with its bodies. */
export type LoggedRequest = ReturnType<typeof selectRequest.decode>

/** A merchant's requests, newest first, including those that this node has not written yet. */
export const listRequests = async (
  context: Context,
  merchantId: string,
  wanted: { readonly isFailed: boolean; readonly before: string | null; readonly limit: number },
): Promise<readonly RequestSummary[]> => {
  await writeRequests(context)
  return context.query(selectRequests, { merchantId, ...wanted })
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
export const findRequestsById = async (context: Context, merchantIds: readonly string[], id: string) => {
  await writeRequests(context)
  return context.query(listRequestsById, { merchantIds, id })
}

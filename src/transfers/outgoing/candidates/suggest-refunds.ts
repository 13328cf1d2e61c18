import type { Context } from '../../../context.ts'
import type { IncomingTransfer } from '../../../domain/candidate.ts'
import { suggestRefund } from '../../../domain/refund-reversal.ts'
import type { Suggestion } from '../../../domain/suggest.ts'
import { day } from '../../../domain/time.ts'
import { payeeDetails } from '../payee-details.ts'
import { listEarlierRefunds } from './store.ts'

/** A refund comes back this long after it left. */
const reversibleMs = 120 * day

type Waiting = IncomingTransfer & { readonly id: string; readonly requisiteId: string }

/** Which refunds transfers that no payment claims may be, with what speaks for that, by the id of the transfer. */
export const suggestRefunds = async (
  sql: Pick<Context, 'query' | 'vault'>,
  waiting: readonly Waiting[],
): Promise<ReadonlyMap<string, readonly Suggestion[]>> => {
  if (waiting.length === 0) return new Map()
  const rows = waiting.map(({ id: transferId, requisiteId, amount, bookedAt }) => {
    return { transferId, requisiteId, amount, since: bookedAt - reversibleMs, until: bookedAt }
  })
  const refunds = Map.groupBy(await sql.query(listEarlierRefunds, { rows }), (each) => each.transferId)
  return new Map(
    waiting.map((transfer) => [
      transfer.id,
      (refunds.get(transfer.id) ?? []).flatMap(({ outgoingId, detailsSealed, ...refund }) => {
        const payeeName = payeeDetails(sql.vault, outgoingId, detailsSealed).name
        return suggestRefund(transfer, { ...refund, payeeName }) ?? []
      }),
    ]),
  )
}

import type { Context } from '../../context.ts'
import type { AnnouncedDetails } from '../../domain/announced.ts'
import { listReturnedTransfers } from './store.ts'

/** What is known of announced refunds and reversals, by their ids: who sent the money, and by which a text names it. */
export const describeAnnounced = async (
  sql: Pick<Context, 'query' | 'vault'>,
  announced: readonly { readonly id: string; readonly requisiteId: string; readonly merchantId: string | null }[],
): Promise<ReadonlyMap<string, AnnouncedDetails & { readonly orderId: string | null }>> => {
  if (announced.length === 0) return new Map()
  const returned = await sql.query(listReturnedTransfers, { rows: announced })
  const open = (sealed: string | null, column: string, row: string | null): string | null =>
    sealed === null || row === null ? null : sql.vault.decrypt(sealed, { table: 'transfers', column, row })
  return new Map(
    [...Map.groupBy(returned, (each) => each.documentId)].map(([documentId, rows]) => [
      documentId,
      {
        orderId: rows.find((each) => each.orderId !== null)?.orderId ?? null,
        payers: rows.map(({ transferId, senderSealed, senderNameSealed }) => ({
          number: open(senderSealed, 'sender_sealed', transferId),
          name: open(senderNameSealed, 'sender_name_sealed', transferId),
        })),
        names: rows
          .flatMap((each) => [each.reference, each.orderId, each.paymentId, each.bankReference])
          .filter((name) => name !== null),
      },
    ]),
  )
}

import type { Context } from '../../../context.ts'
import { type AnnouncedDetails, mainSenders } from '../../../../rules/transfers/announced.ts'
import type { Instant } from '../../../../rules/time.ts'
import { openSealed } from '../../sealed-transfers.ts'
import { listReturnedTransfers } from './store.ts'

/** A refund or reversal; `transferId` is what a reversal that is not recorded yet would take back. */
export type Returning = {
  readonly id: string
  readonly requisiteId: string
  readonly merchantId: string | null
  readonly paymentId: string | null
  readonly transferId?: string | null
}

type Described = AnnouncedDetails & { readonly orderId: string | null }

const describe = (
  rows: readonly ReturnType<typeof listReturnedTransfers.decode>[],
  { payers, most }: ReturnType<typeof mainSenders>,
): Described => {
  const named = (name: string | null, setAt: Instant | null, setBy: readonly string[]) =>
    name === null ? [] : [{ name, setAt, setBy }]
  return {
    orderId: rows.find((each) => each.orderId !== null)?.orderId ?? null,
    payers,
    returnable: most - (rows[0]?.returned ?? 0n),
    names: rows.flatMap(({ reference, orderId, paymentId, bankReference, ...each }) => [
      ...named(reference, each.referenceAt, each.referenceBy === null ? [] : [each.referenceBy]),
      // Whoever has a token of the merchant chooses orders.
      ...named(orderId, null, []),
      ...named(paymentId, each.createdAt, each.assignedBy),
      ...named(bankReference, each.isTyped ? null : each.arrivedAt, each.assignedBy),
    ]),
  }
}

/** Who sent the money of refunds and reversals, and which references a text may name, by their ids. */
export const describeAnnounced = async (
  sql: Pick<Context, 'query' | 'vault'>,
  announced: readonly Returning[],
): Promise<ReadonlyMap<string, Described>> => {
  if (announced.length === 0) return new Map()
  const returned = await sql.query(listReturnedTransfers, {
    rows: announced.map((each) => ({ transferId: null, ...each })),
  })
  return new Map(
    [...Map.groupBy(returned, (each) => each.documentId)].map(([documentId, rows]) => [
      documentId,
      describe(
        rows,
        mainSenders(
          rows.map(({ transferId, senderSealed, senderNameSealed, sent }) => ({
            number: openSealed(sql, 'sender_sealed', transferId, senderSealed),
            name: openSealed(sql, 'sender_name_sealed', transferId, senderNameSealed),
            sent: sent ?? 0n,
          })),
        ),
      ),
    ]),
  )
}

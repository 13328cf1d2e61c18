import type { Context } from '../../context.ts'
import type { TypedName } from '../../domain/id-text.ts'
import { maskNumbers } from '../../domain/masking.ts'
import {
  findOutgoing,
  findReported,
  findReversals,
  findTransfers,
  listPartsOfPayment,
  listStatementLines,
} from './store.ts'

type Wanted = TypedName & { readonly requisiteIds: readonly string[] }

/** Transfers that a bank reference or a shortened id may mean, a few of them. */
export const findTransfersByName = (context: Context, wanted: Wanted) => context.query(findTransfers, wanted)

/** Reversals that a bank reference or a shortened id may mean, a few of them. */
export const findReversalsByName = (context: Context, wanted: Wanted) => context.query(findReversals, wanted)

/** Outgoing transfers that a bank reference or a shortened id may mean, a few of them. */
export const findOutgoingByName = (context: Context, wanted: Wanted) => context.query(findOutgoing, wanted)

/** What else is known of a transfer: its text, in which long numbers are masked, and the lines that report it. */
export const readReports = async (context: Context, key: { readonly requisiteId: string; readonly id: string }) => {
  const [reported, statements] = await Promise.all([
    context.query(findReported, key),
    context.query(listStatementLines, key),
  ])
  const { textSealed = null, senderBank = null, channel = null } = reported[0] ?? {}
  const cell = { table: 'transfers', column: 'text_sealed', row: key.id }
  const text = textSealed === null ? null : maskNumbers(context.vault.decrypt(textSealed, cell))
  return { text, senderBank, channel, statements }
}

/** The parts of transfers that are for a payment. */
export const listMoneyOf = (context: Context, merchantId: string, paymentId: string) =>
  context.query(listPartsOfPayment, { merchantId, paymentId })

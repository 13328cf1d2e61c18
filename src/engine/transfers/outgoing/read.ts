import type { Context } from '../../context.ts'
import { maskNumbers } from '../../../rules/values/masking.ts'
import { type OutgoingProposal, proposeOutgoing } from '../../../rules/transfers/propose-outgoing.ts'
import { requireRow } from '../../../rules/refusal.ts'
import { listCandidates } from './candidates/list-candidates.ts'
import { listDoubtfulOutgoing } from './duplicates/store.ts'
import { payeeDetails } from './payee-details.ts'
import { findRefunds } from './reverse-refunds.ts'
import { findOutgoingRow, selectOutgoing, type StoredOutgoing } from './store.ts'

/** An outgoing transfer for an operator; numbers of accounts, cards and phones are masked, also in the text. */
export type ListedOutgoing = StoredOutgoing & {
  readonly payeeName: string | null
  readonly text: string | null
  readonly proposals: readonly OutgoingProposal[]
}

const proposeRefunds = async (context: Context, row: StoredOutgoing): Promise<OutgoingProposal[]> =>
  (await findRefunds(context, row)).possible.map(({ id: documentId, merchantId, paymentId, orderId, reason }) => ({
    ...{ purpose: 'refund-reversal', merchantId, paymentId, orderId, transferId: null, documentId, reasons: [reason] },
  }))

const toListed = async (context: Context, rows: readonly StoredOutgoing[]): Promise<ListedOutgoing[]> => {
  const described = rows.map((row) => ({ ...row, ...payeeDetails(context.vault, row.id, row.detailsSealed) }))
  const candidates = await listCandidates(
    context,
    // A possible duplicate of explained money returned nothing more.
    described.filter(
      ({ state, givenBack, duplicateOf }) => state === 'unexplained' && !givenBack && duplicateOf === null,
    ),
  )
  const refunds = new Map<string, OutgoingProposal[]>()
  for (const row of rows) {
    if (row.state === 'unexplained' && row.givenBack) refunds.set(row.id, await proposeRefunds(context, row))
  }
  return described.map(({ name, number: _, text, ...row }) => ({
    ...row,
    payeeName: maskNumbers(name),
    text: maskNumbers(text),
    proposals: refunds.get(row.id) ?? proposeOutgoing({ text }, candidates.get(row.id) ?? []),
  }))
}

/** Outgoing transfers, the newest first, from before an id. */
export const listOutgoing = async (
  context: Context,
  filter: Omit<Parameters<typeof selectOutgoing.encode>[0], 'source'>,
): Promise<ListedOutgoing[]> => toListed(context, await context.query(selectOutgoing, { ...filter, source: null }))

/** The first outgoing transfers of a statement that wait as possible duplicates. */
export const listDoubtfulOutgoingOf = (context: Pick<Context, 'query'>, statementId: string, limit: number) =>
  context.query(listDoubtfulOutgoing, { source: `statement:${statementId}`, limit })

/** An outgoing transfer; refuses `resource_not_found`. */
export const getOutgoing = async (
  context: Context,
  key: { readonly requisiteId: string; readonly id: string },
): Promise<ListedOutgoing> => {
  return requireRow(await toListed(context, await context.query(findOutgoingRow, key)), 'outgoing transfer')
}

import type { Context } from '../../context.ts'
import { maskNumbers } from '../../domain/masking.ts'
import type { OutgoingPurpose, OutgoingState } from '../../domain/outgoing.ts'
import { Refusal } from '../../domain/refusal.ts'
import { payeeDetails } from './payee-details.ts'
import { findOutgoingRow, selectOutgoing, type StoredOutgoing } from './store.ts'

/** An outgoing transfer for an operator; numbers of accounts, cards and phones are masked, also in the text. */
export type ListedOutgoing = StoredOutgoing & { readonly payeeName: string | null; readonly text: string | null }

const toListed = ({ vault }: Pick<Context, 'vault'>, row: StoredOutgoing): ListedOutgoing => {
  const { name, text } = payeeDetails(vault, row.id, row.detailsSealed)
  return { ...row, payeeName: maskNumbers(name), text: maskNumbers(text) }
}

/** Outgoing transfers, the newest first, from before an id. */
export const listOutgoing = async (
  context: Context,
  filter: {
    readonly state: OutgoingState | null
    readonly purpose: OutgoingPurpose | null
    readonly requisiteId: string | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<ListedOutgoing[]> => (await context.query(selectOutgoing, filter)).map((row) => toListed(context, row))

/** An outgoing transfer; refuses `resource_not_found`. */
export const getOutgoing = async (
  context: Pick<Context, 'query' | 'vault'>,
  key: { readonly requisiteId: string; readonly id: string },
): Promise<ListedOutgoing> => {
  const [row] = await context.query(findOutgoingRow, key)
  if (!row) throw new Refusal('resource_not_found', 'There is no such outgoing transfer.')
  return toListed(context, row)
}

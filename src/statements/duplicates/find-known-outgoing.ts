import type { Context } from '../../context.ts'
import { type ChannelOutgoing, findReportedElsewhere } from '../../transfers/outgoing/find-reported-elsewhere.ts'
import { setAlreadyKnown } from './store.ts'

/**
 * Finds and notes, for the preview, which new rows are outgoing transfers that other channels have reported; returns how
 * many. Those transfers join `taken`, because each is one row of the file.
 */
export const findKnownOutgoing = async (
  sql: Pick<Context, 'query'>,
  statementId: string,
  rows: readonly (ChannelOutgoing & { readonly position: number })[],
  taken: Set<string>,
): Promise<number> => {
  const found = await findReportedElsewhere(sql, rows, taken)
  for (const { id } of found.values()) taken.add(id)
  if (found.size > 0)
    await sql.query(setAlreadyKnown, { statementId, rows: [...found.keys()].map(({ position }) => ({ position })) })
  return found.size
}

import type { Context } from '../../context.ts'
import { mayBeOnePayer, readPayer } from '../../../rules/transfers/one-payer.ts'
import { letters } from 'bank-files/pure'
import { addsUp, type StatementAccount } from '../../../rules/statements/statement-import.ts'
import { firstKeyOf } from '../../../rules/transfers/transfer.ts'
import type { OpenRow } from '../open-rows.ts'
import { rowDetails } from '../row-details.ts'
import { listFirstRows } from './store.ts'

/** Rows that repeat a reference and amount, but are other money: balances prove it, and payer or text differ. */
export const findProven = async (
  { query, vault }: Pick<Context, 'query' | 'vault'>,
  statementId: string,
  accounts: readonly StatementAccount[],
  rows: readonly OpenRow[],
): Promise<ReadonlySet<number>> => {
  const unproven = new Set(accounts.filter((each) => !addsUp(each)).map(({ requisiteId }) => requisiteId))
  const proven = new Set(accounts.map(({ requisiteId }) => requisiteId).filter((id) => !unproven.has(id)))
  const further = rows.flatMap(({ kind, dedupeKey, ...row }) => {
    const firstKey = firstKeyOf(dedupeKey)
    return kind === 'booked' && firstKey !== undefined && proven.has(row.requisiteId)
      ? [{ ...row, dedupeKey: firstKey }]
      : []
  })
  if (further.length === 0) return new Set()
  const read = ({ sender, senderName, text }: Pick<OpenRow, 'sender' | 'senderName' | 'text'>) => ({
    payer: readPayer(sender, senderName),
    letters: letters(text),
  })
  const firsts = new Map(
    (await query(listFirstRows, { statementId, rows: further })).map((each) => [
      each.position,
      read(rowDetails(vault, statementId, each.firstPosition, each.detailsSealed)),
    ]),
  )
  return new Set(
    further.flatMap((row) => {
      const first = firsts.get(row.position)
      const own = read(row)
      return first && (first.letters !== own.letters || !mayBeOnePayer(first.payer, own.payer)) ? [row.position] : []
    }),
  )
}

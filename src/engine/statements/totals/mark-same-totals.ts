import type { Context } from '../../context.ts'
import { findSameTotals, type Money } from '../../../rules/statements/same-totals.ts'
import { day, startOfDay } from '../../../rules/time.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { setDuplicates } from '../duplicates/store.ts'
import type { Statement } from '../read.ts'
import { rowDetails } from '../row-details.ts'
import type { Neighbours } from './find-neighbours.ts'
import { listNewRows, listUnlisted } from './store.ts'

/** Marks new rows that may be that day's money in another form, as a sum and its parts are; returns which. */
export const markSameTotals = async (
  sql: Pick<Context, 'query' | 'vault'>,
  { id: statementId, accounts, neighbours }: Pick<Statement, 'id' | 'accounts'> & { readonly neighbours: Neighbours },
  /** The sums that rows replace, and those rows; without them, no parts of bookings count. */
  known?: { readonly replaced: ReadonlySet<string>; readonly parts: ReadonlySet<number> },
): Promise<readonly number[]> => {
  const spans = accounts.flatMap(({ requisiteId, listed }) =>
    listed ? [{ requisiteId, since: listed.from, until: listed.to }] : [],
  )
  const listed =
    spans.length > 0 ? await sql.query(listUnlisted, { statementId, neighbours: neighbours.all, rows: spans }) : []
  const unlisted = listed.filter(({ id }) => known?.replaced.has(id) !== true)
  if (unlisted.length === 0) return []
  const offsets = await requisiteOffsets(sql, [...new Set(unlisted.map(({ requisiteId }) => requisiteId))])
  const dayOf = ({ requisiteId, bookedAt }: (typeof unlisted)[number]): number =>
    startOfDay(bookedAt, offsets.get(requisiteId) ?? 0)
  const marked: Parameters<typeof setDuplicates.encode>[0]['rows'][number][] = []
  for (const others of Map.groupBy(unlisted, (each) => `${each.requisiteId} ${each.kind} ${dayOf(each)}`).values()) {
    const [first] = others
    if (!first) continue
    const { requisiteId, kind } = first
    const since = dayOf(first)
    const asked = { statementId, requisiteId, kind, since, until: since + day - 1, parts: known !== undefined }
    const found = (await sql.query(listNewRows, asked)).filter(({ position }) => known?.parts.has(position) !== true)
    const own = found.map(({ position, amount, isStated, detailsSealed }): Money<number> => {
      const { sender, senderName } = rowDetails(sql.vault, statementId, position, detailsSealed)
      return { id: position, amount, isStated, isNamed: sender !== null || senderName !== null }
    })
    for (const [position, duplicateOf] of findSameTotals(own, others))
      marked.push({ position, duplicateOf, duplicateCertain: false, alreadyKnown: false })
  }
  if (marked.length > 0) await sql.query(setDuplicates, { statementId, rows: marked })
  return marked.map(({ position }) => position)
}

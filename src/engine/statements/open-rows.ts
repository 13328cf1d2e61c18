import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import { bookedTimeOf } from '../../rules/values/booked-time.ts'
import type { Instant } from '../../rules/time.ts'
import type { Statement } from './read.ts'
import { documentNumberOf, rowDetails } from './row-details.ts'
import { sourcesOfSameMoney } from './sources/sources.ts'
import type { StoredRow } from './store.ts'

/** Rows of a statement with what they say about the other side. */
export const openRows = (vault: Context['vault'], statementId: string, rows: readonly StoredRow[]) =>
  rows.map((row) => {
    const details = rowDetails(vault, statementId, row.position, row.detailsSealed)
    const documentNumber = documentNumberOf(details)
    const isNamed = details.sender !== null || details.senderName !== null
    return { ...row, isDayUnknown: false, ...details, documentNumber, isNamed }
  })

export type OpenRow = ReturnType<typeof openRows>[number]

/** A row as a report of the money that it moves; the day of its booking may not have ended at `now`. */
export const asReport = <Row extends OpenRow>(row: Row, statementId: string, now: Instant) => ({
  ...row,
  ...bookedTimeOf(row, now),
  source: `statement:${statementId}`,
})

/** A row as `asReport`, of money that left or that the bank gave back. */
export const asOutgoing = <Row extends OpenRow>(row: Row, statementId: string, now: Instant) => ({
  ...asReport(row, statementId, now),
  givenBack: row.kind === 'outgoing-reversal',
  payee: { number: row.sender, name: row.senderName, text: row.text },
})

/** Incoming rows as `asReport`, with the sources of the same money and the time that their file lists. */
export const asReports = async <Row extends OpenRow>(
  sql: Queryable,
  { id, accounts }: Pick<Statement, 'id' | 'accounts'>,
  rows: readonly Row[],
  now: Instant,
) => {
  const sameMoneySources = await sourcesOfSameMoney(sql, rows[0]?.channel ?? '')
  const listed = new Map(accounts.flatMap((each) => (each.listed ? [[each.requisiteId, each.listed] as const] : [])))
  return rows.map((row) => {
    const own = listed.get(row.requisiteId)
    return { ...asReport(row, id, now), sameMoneySources, ...(own && { listed: own }) }
  })
}

import type { Queryable } from '../../database/database.ts'
import { type EntryRow, readEntryAgain } from '../../domain/entry.ts'
import type { StatementRow } from '../../domain/statement.ts'
import { listEntryRows } from './store.ts'

/** A row with the requisite and the amount of its booking. */
type PlacedRow = Omit<EntryRow, 'bankReference'> & {
  readonly row: StatementRow
  readonly requisite: { readonly id: string }
  readonly entryAmount: bigint | null
}

const keyOf = (requisiteId: string, reference: string | null | undefined): string => `${requisiteId} ${reference}`

/**
 * Rows of a file with those bookings that files have told of before in another form, as a sum or in parts, told as they
 * were: they repeat them then. All rows of a booking must be among them. A booking that contradicts what was told goes to
 * `fault`.
 */
export const settleEntries = async <T extends PlacedRow>(
  sql: Queryable,
  placed: readonly T[],
  fault: (line: number, reason: string) => void,
): Promise<T[]> => {
  const entries = Map.groupBy(placed, ({ row, requisite }) =>
    row.kind === 'booked' && row.entry ? keyOf(requisite.id, row.entry.reference) : '',
  )
  entries.delete('')
  if (entries.size === 0) return [...placed]
  const firsts = [...entries.values()].flatMap(([first]) => first ?? [])
  const rows = await sql.query(listEntryRows, {
    requisiteIds: firsts.map(({ requisite }) => requisite.id),
    references: firsts.map(({ row }) => row.entry?.reference ?? ''),
  })
  const told = Map.groupBy(rows, (each) => keyOf(each.requisiteId, each.entryReference))
  const replaced = new Map<T, T[]>()
  for (const [key, own] of entries) {
    const [first] = own
    const before = told.get(key)
    if (!first?.row.entry || first.entryAmount === null || !before) continue
    // A bank may give several bookings one reference; they are told apart by their amounts.
    for (const booking of Map.groupBy(own, (each) => each.entryAmount).values()) {
      const [head] = booking
      if (!head?.row.entry || head.entryAmount === null) continue
      const entry = { ...head.row.entry, amount: head.entryAmount }
      const again = booking.map((each) => ({ ...each, bankReference: each.row.reference }))
      const reading = readEntryAgain(entry, again, before)
      if (reading === 'as-told') continue
      if ('contradicts' in reading) {
        fault(
          head.row.line,
          `The booking ${entry.reference} was told before in another way, as a sum or in parts, and with another amount.`,
        )
        continue
      }
      for (const each of booking) replaced.set(each, [])
      replaced.set(
        head,
        reading.repeats.map(({ amount, fingerprint, bankReference: reference, referenceKind }) => ({
          ...head,
          ...{ amount, fingerprint },
          row: { ...head.row, reference, ...(referenceKind === null ? {} : { referenceKind }) },
        })),
      )
    }
  }
  return placed.flatMap((each) => replaced.get(each) ?? [each])
}

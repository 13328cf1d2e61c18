import type { Context } from '../../context.ts'
import { mayBeOnePayer, readPayer } from '../../domain/one-payer.ts'
import { letters } from '../../domain/statement.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'
import { sameBookingMs, separateKey } from '../../domain/transfer.ts'
import { hashBytes } from '../../secrets/hashes.ts'
import { listKnownByKey } from './store.ts'

/** A row with a reference of its bank. */
type ReferredRow = {
  readonly position: number
  readonly kind: RecordedRowKind
  readonly requisiteId: string
  readonly dedupeKey: string
  readonly bookedAt: number
  readonly channel: string
  readonly payer: { readonly number: string | null; readonly name: string | null }
  readonly text: string | null
}

/** A number that is the same each time the row is reported. */
const numberOf = ({ bookedAt, payer, text }: ReferredRow): bigint =>
  hashBytes(Buffer.from(JSON.stringify([bookedAt, payer.number, letters(payer.name), letters(text)]))).readBigUInt64BE()

/**
 * Keys for rows whose reference and amount are known, although the money is not: it was booked on another day, or the
 * same kind of file named another payer. Banks begin their references again, and none of the two may be lost, so such a
 * row waits as a possible duplicate. By the positions of the rows.
 */
export const separateMoney = async (
  sql: Pick<Context, 'query' | 'vault'>,
  rows: readonly ReferredRow[],
): Promise<ReadonlyMap<number, string>> => {
  const incoming = rows.filter(({ kind }) => kind === 'booked' || kind === 'reversal')
  if (incoming.length === 0) return new Map()
  const known = new Map((await sql.query(listKnownByKey, { rows: incoming })).map((each) => [each.position, each]))
  const open = (sealed: string | null, column: string, row: string): string | null =>
    sealed === null ? null : sql.vault.decrypt(sealed, { table: 'transfers', column, row })
  return new Map(
    incoming.flatMap((row) => {
      const other = known.get(row.position)
      if (!other) return []
      const { id, channel, senderSealed, senderNameSealed } = other
      const isOtherDay = Math.abs(other.bookedAt - row.bookedAt) > sameBookingMs
      const isOther =
        isOtherDay ||
        (channel === row.channel &&
          !mayBeOnePayer(
            readPayer(row.payer.number, row.payer.name),
            readPayer(open(senderSealed, 'sender_sealed', id), open(senderNameSealed, 'sender_name_sealed', id)),
          ))
      return isOther ? [[row.position, separateKey(row.dedupeKey, numberOf(row))] as const] : []
    }),
  )
}

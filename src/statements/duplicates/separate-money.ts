import type { Context } from '../../context.ts'
import { isFileChannel } from '../../domain/channel.ts'
import { mayBeOnePayer, readPayer } from '../../domain/one-payer.ts'
import { referredIdentity } from '../../domain/row-identity.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'
import { day } from '../../domain/time.ts'
import { sameBookingMs, separateKey } from '../../domain/transfer.ts'
import { hashBytes } from '../../secrets/hashes.ts'
import { openPayer } from '../../transfers/duplicates/find-duplicates.ts'
import { listKnownByKey } from './store.ts'

/** A row with a reference of its bank. */
type ReferredRow = {
  readonly position: number
  readonly kind: RecordedRowKind
  readonly requisiteId: string
  readonly dedupeKey: string
  readonly bookedAt: number
  readonly bookedOn: string | null
  readonly channel: string
  readonly payer: { readonly number: string | null; readonly name: string | null }
  readonly text: string | null
}

/** A number that is the same each time the row is reported. */
const numberOf = ({ bookedAt, payer, text }: ReferredRow): bigint =>
  hashBytes(Buffer.from(referredIdentity(bookedAt, payer, text))).readBigUInt64BE()

type KnownMoney = ReturnType<typeof listKnownByKey.decode>

/** Whether a row is of another day than what is known. Files agree on days; a push may tell when its money was paid. */
const isOfOtherDay = ({ bookedAt, bookedOn }: ReferredRow, known: KnownMoney): boolean => {
  const from = bookedOn === null ? bookedAt : bookedAt + 1 - day
  const until = known.bookedAt ?? bookedAt
  const gap = Math.max(from - until, (known.earliestAt ?? until) - bookedAt, 0)
  if (known.channel === null || !isFileChannel(known.channel)) return gap > sameBookingMs
  return bookedOn === null && known.earliestAt === null ? gap >= day : gap > 0
}

/** Whether a row is other money than what is known of its key. */
const isOtherMoney = ({ vault }: Pick<Context, 'vault'>, row: ReferredRow, known: KnownMoney): boolean => {
  if (known.id === null) return false
  if (isOfOtherDay(row, known)) return true
  if (known.channel !== row.channel) return false
  return !mayBeOnePayer(readPayer(row.payer.number, row.payer.name), openPayer(vault, known.id, known))
}

/**
 * Keys for rows whose reference and amount are known, although the money is not: an earlier row of the file has them, or
 * what is known was booked on another day, or the same kind of file named another payer. Banks begin their references
 * again, and none of the two may be lost, so such a row waits as a possible duplicate. By the positions of the rows, of
 * which the first is at `first`.
 */
export const separateMoney = async (
  sql: Pick<Context, 'query' | 'vault'>,
  statementId: string,
  first: number,
  rows: readonly ReferredRow[],
): Promise<ReadonlyMap<number, string>> => {
  const incoming = rows.filter(({ kind }) => kind === 'booked' || kind === 'reversal')
  if (incoming.length === 0) return new Map()
  const found = await sql.query(listKnownByKey, { statementId, first, rows: incoming })
  const known = new Map(found.map((each) => [each.position, each]))
  const keys = new Set<string>()
  return new Map(
    incoming.flatMap((row) => {
      const key = `${row.requisiteId} ${row.dedupeKey}`
      const other = known.get(row.position)
      const isFurther = keys.has(key) || other?.isFurther
      if (isFurther || (other && isOtherMoney(sql, row, other)))
        return [[row.position, separateKey(row.dedupeKey, numberOf(row))] as const]
      keys.add(key)
      return []
    }),
  )
}

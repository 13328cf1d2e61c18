import type { Context } from '../../context.ts'
import { isFileChannel } from '../../domain/channel.ts'
import { isOnePayer, mayBeOnePayer, readPayer } from '../../domain/one-payer.ts'
import { referredIdentity } from '../../domain/row-identity.ts'
import { letters } from '../../domain/statement.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'
import { day } from '../../domain/time.ts'
import { sameBookingMs, separateKey } from '../../domain/transfer.ts'
import { hashBytes } from '../../secrets/hashes.ts'
import { openPayer, openText } from '../../transfers/duplicates/find-duplicates.ts'
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

/** How far apart a row and what is known of its key are; those of one day are not. */
const gapBetween = ({ bookedAt, bookedOn }: ReferredRow, known: KnownMoney): number => {
  const from = bookedOn === null ? bookedAt : bookedAt + 1 - day
  const until = known.bookedAt ?? bookedAt
  const gap = Math.max(from - until, (known.earliestAt ?? until) - bookedAt, 0)
  return bookedOn === null && known.earliestAt === null && gap < day ? 0 : gap
}

/** Whether two texts say different things: neither is a part of the other, as a text that was cut is. */
const isOtherText = (one: string, other: string): boolean =>
  one !== '' && other !== '' && !one.includes(other) && !other.includes(one)

/** Whether a row is other money than what is known of its key. */
const isOtherMoney = ({ vault }: Pick<Context, 'vault'>, row: ReferredRow, known: KnownMoney): boolean => {
  if (known.id === null) return false
  const gap = gapBetween(row, known)
  // Files agree on days; a push may tell when its money was paid.
  const isOfFile = known.channel !== null && isFileChannel(known.channel)
  if (gap > (isOfFile ? 0 : sameBookingMs)) return true
  const [payer, before] = [readPayer(row.payer.number, row.payer.name), openPayer(vault, known.id, known)]
  const isSameKind = known.channel === row.channel
  if (!mayBeOnePayer(payer, before)) return isSameKind || gap > 0
  if (!isSameKind || isOnePayer(payer, before)) return false
  return isOtherText(letters(row.text), letters(openText(vault, known.id, known.textSealed)))
}

/**
 * Finds rows that have the reference and amount of other money, and returns their new keys by their positions. Banks
 * begin their references again, and none of the two may be lost, so such a row waits as a possible duplicate. It is one
 * of these:
 *
 * - An earlier row of the file has the reference and amount, or a neighbour (`findNeighbours`).
 * - A file named them on another day, or a feed more than three days apart or for another payer.
 * - The same kind of file named another payer or, unless both name the payer, another text.
 */
export const separateMoney = async (
  sql: Pick<Context, 'query' | 'vault'>,
  file: { readonly statementId: string; readonly neighbours: readonly string[]; readonly first: number },
  rows: readonly ReferredRow[],
): Promise<ReadonlyMap<number, string>> => {
  const incoming = rows.filter(({ kind }) => kind === 'booked' || kind === 'reversal')
  if (incoming.length === 0) return new Map()
  const found = await sql.query(listKnownByKey, { ...file, rows: incoming })
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

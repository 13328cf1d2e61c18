import type { Context } from '../../context.ts'
import { isOnePayer, mayBeOnePayer, readPayer } from '../../domain/one-payer.ts'
import { referredIdentity } from '../../domain/row-identity.ts'
import { letters } from '../../domain/statement.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'
import { day } from '../../domain/time.ts'
import { sameBookingMs, separateKey } from '../../domain/transfer.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
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
  readonly channel: string
  readonly payer: { readonly number: string | null; readonly name: string | null }
  readonly text: string | null
}

/** A number that is the same each time the row is reported. */
const numberOf = ({ bookedAt, payer, text }: ReferredRow): bigint =>
  hashBytes(Buffer.from(referredIdentity(bookedAt, payer, text))).readBigUInt64BE()

/** Whether two texts say different things: neither is a part of the other, as a text that was cut is. */
const isOtherText = (one: string, other: string): boolean =>
  one !== '' && other !== '' && !one.includes(other) && !other.includes(one)

/**
 * Keys for rows whose reference and amount are known, although the money is not: it was booked more than three days
 * apart; or the same kind of file named another day, another payer or, unless both name the payer, another text; or
 * another kind named both another day and another payer. Banks begin their references again, and none of the two may be
 * lost, so such a row waits as a possible duplicate. By the positions of the rows.
 */
export const separateMoney = async (
  sql: Pick<Context, 'query' | 'vault'>,
  rows: readonly ReferredRow[],
): Promise<ReadonlyMap<number, string>> => {
  const incoming = rows.filter(({ kind }) => kind === 'booked' || kind === 'reversal')
  if (incoming.length === 0) return new Map()
  const known = new Map((await sql.query(listKnownByKey, { rows: incoming })).map((each) => [each.position, each]))
  if (known.size === 0) return new Map()
  const offsets = await requisiteOffsets(sql, [...new Set(incoming.map(({ requisiteId }) => requisiteId))])
  return new Map(
    incoming.flatMap((row) => {
      const other = known.get(row.position)
      if (!other) return []
      const dayOf = (at: number): number => Math.floor((at + (offsets.get(row.requisiteId) ?? 0)) / day)
      const isOther = (): boolean => {
        if (Math.abs(other.bookedAt - row.bookedAt) > sameBookingMs) return true
        const isSameKind = other.channel === row.channel
        const isOtherDay = dayOf(other.bookedAt) !== dayOf(row.bookedAt)
        if (isSameKind && isOtherDay) return true
        const [payer, before] = [readPayer(row.payer.number, row.payer.name), openPayer(sql.vault, other.id, other)]
        if (!mayBeOnePayer(payer, before)) return isSameKind || isOtherDay
        return (
          isSameKind &&
          !isOnePayer(payer, before) &&
          isOtherText(letters(row.text), letters(openText(sql.vault, other.id, other.textSealed)))
        )
      }
      return isOther() ? [[row.position, separateKey(row.dedupeKey, numberOf(row))] as const] : []
    }),
  )
}

import type { Context } from '../../context.ts'
import type { OtherForm } from '../../../rules/transfers/other-form.ts'
import { isFileChannel } from '../../../rules/transfers/channel.ts'
import { isOnePayer, mayBeOnePayer, readPayer } from '../../../rules/transfers/one-payer.ts'
import { referredIdentity } from '../../../rules/statements/row-identity.ts'
import { letters } from 'bank-files/pure'
import { day } from '../../../rules/time.ts'
import { firstKeyOf, sameBookingMs, separateKey } from '../../../rules/transfers/transfer.ts'
import { hashBytes } from '../../../secrets/hashes.ts'
import { openPayer } from '../../transfers/duplicates/find-duplicates.ts'
import { openSealed } from '../../transfers/sealed-transfers.ts'
import { payeeDetails } from '../../transfers/outgoing/payee-details.ts'
import type { OpenRow } from '../open-rows.ts'
import type { Neighbours } from '../totals/find-neighbours.ts'
import { keyRows, listKnownByKey } from './store.ts'

/** A number that is the same each time the row is reported. */
const numberOf = ({ bookedAt, sender: number, senderName: name, text }: OpenRow): bigint =>
  hashBytes(Buffer.from(referredIdentity(bookedAt, { number, name }, text))).readBigUInt64BE()

type KnownMoney = ReturnType<typeof listKnownByKey.decode>

/** How far apart a row and what is known of its key are; those of one day are not. */
const gapBetween = ({ bookedAt, bookedOn }: OpenRow, known: KnownMoney): number => {
  const from = bookedOn === null ? bookedAt : bookedAt + 1 - day
  const until = known.bookedAt ?? bookedAt
  const gap = Math.max(from - until, (known.earliestAt ?? until) - bookedAt, 0)
  return bookedOn === null && known.earliestAt === null && gap < day ? 0 : gap
}

/** Whether two texts say different things: neither is a part of the other, as a text that was cut is. */
const isOtherText = (one: string, other: string): boolean =>
  one !== '' && other !== '' && !one.includes(other) && !other.includes(one)

const openKnown = (sql: Pick<Context, 'vault'>, id: string, known: KnownMoney) => {
  if (known.payeeSealed === null)
    return { payer: openPayer(sql, id, known), text: openSealed(sql, 'text_sealed', id, known.textSealed) }
  const { number, name, text } = payeeDetails(sql.vault, id, known.payeeSealed)
  return { payer: readPayer(number, name), text }
}

const isOtherMoney = (sql: Pick<Context, 'vault'>, row: OpenRow, known: KnownMoney): boolean => {
  if (known.id === null) return false
  const gap = gapBetween(row, known)
  // Files agree on days; a push may tell when its money was paid.
  const isOfFile = known.channel !== null && isFileChannel(known.channel)
  if (gap > (isOfFile ? 0 : sameBookingMs)) return true
  const payer = readPayer(row.sender, row.senderName)
  const before = openKnown(sql, known.id, known)
  const isSameKind = known.channel === row.channel
  if (!mayBeOnePayer(payer, before.payer)) return isSameKind || gap > 0
  if (!isSameKind || isOnePayer(payer, before.payer)) return false
  return isOtherText(letters(row.text), letters(before.text))
}

type File = { readonly statementId: string; readonly neighbours: Neighbours }

/**
 * Finds rows that have the reference and amount of other money: banks begin their references again. Such a row waits as
 * a possible duplicate (docs/domain.md §6.3), but money out is new if its payee is another. Returns new fingerprints by
 * position.
 */
const separateMoney = async (
  sql: Pick<Context, 'query' | 'vault'>,
  { statementId, neighbours: { all: neighbours } }: File,
  rows: readonly OpenRow[],
): Promise<ReadonlyMap<number, string>> => {
  // Under the key of their reference and amount.
  const referred = rows.flatMap((row) =>
    row.bankReference === null ? [] : [{ ...row, dedupeKey: firstKeyOf(row.fingerprint) ?? row.fingerprint }],
  )
  if (referred.length === 0) return new Map()
  const found = await sql.query(listKnownByKey, {
    ...{ statementId, neighbours, first: rows[0]?.position ?? 0 },
    rows: referred,
  })
  const known = new Map(found.map((each) => [each.position, each]))
  const keys = new Set<string>()
  return new Map(
    referred.map((row) => {
      const key = `${row.requisiteId} ${row.dedupeKey}`
      const other = known.get(row.position)
      // Equal rows of money out have one fingerprint, and are counted.
      const isFurther = !row.kind.startsWith('outgoing') && (keys.has(key) || other?.isFurther)
      if (isFurther || (other && isOtherMoney(sql, row, other)))
        return [row.position, separateKey(row.dedupeKey, numberOf(row))] as const
      keys.add(key)
      return [row.position, row.dedupeKey] as const
    }),
  )
}

/**
 * Gives rows of a statement, in their order, the keys by which they are known when they are reported again, and finds
 * which are known. Nobody else may record rows of the same requisites meanwhile; a preview does not mind.
 */
export const assignKeys = async <Row extends OpenRow>(
  sql: Pick<Context, 'query' | 'vault'>,
  file: File,
  rows: readonly Row[],
): Promise<readonly (Row & ReturnType<typeof keyRows.decode>)[]> => {
  if (rows.length === 0) return []
  const { all: neighbours, possible } = file.neighbours
  const set = { statementId: file.statementId, neighbours, possible, first: rows[0]?.position ?? 0 }
  const separate = await separateMoney(sql, file, rows)
  const fingerprints = rows.map(({ position, fingerprint }) => ({
    position,
    fingerprint: separate.get(position) ?? fingerprint,
  }))
  const keyed = new Map((await sql.query(keyRows, { ...set, rows: fingerprints })).map((each) => [each.position, each]))
  return rows.flatMap((row) => {
    const key = keyed.get(row.position)
    return key ? [{ ...row, ...key }] : []
  })
}

/** Rows that are known if a possible neighbour is none, by their positions. */
export const doubtsOf = (
  rows: readonly { readonly position: number; readonly mayBe: string | null }[],
): ReadonlyMap<number, OtherForm> =>
  new Map(
    rows.flatMap(({ position, mayBe: id }): [number, OtherForm][] =>
      id === null ? [] : [[position, { id, isCertain: false, how: 'overlaps' }]],
    ),
  )

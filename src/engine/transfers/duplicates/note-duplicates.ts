import type { Tx } from '../../context.ts'
import type { Duplicate } from '../../../rules/transfers/duplicate.ts'
import type { ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { findBeingWithdrawn } from '../store.ts'
import { type GivingWay, lockGivingWay } from '../lone-reports/give-way.ts'
import { type FindReported, findDuplicates, findFurtherBookings } from './find-duplicates.ts'
import { lockOriginals, setDuplicates } from './store.ts'

type NewTransfer = Parameters<typeof findDuplicates>[1][number] &
  Parameters<typeof findFurtherBookings>[1][number] &
  Pick<ReportedTransfer, 'otherForm'>

/** The duplicates, none of them certain while an original is being withdrawn: the withdrawal may be given up. */
const doubtWithdrawn = async (
  tx: Tx,
  duplicates: ReadonlyMap<string, Duplicate>,
): Promise<ReadonlyMap<string, Duplicate>> => {
  const certain = [...duplicates.values()].filter((each) => each.isCertain).map(({ other }) => other)
  if (certain.length === 0) return duplicates
  // A withdrawal that has not checked yet finds them locked and checks again; one that has checked is visible here.
  await tx.query(lockOriginals, { rows: certain })
  const [withdrawn] = await tx.query(findBeingWithdrawn, { rows: certain })
  if (!withdrawn) return duplicates
  return new Map([...duplicates].map(([id, each]) => [id, { ...each, isCertain: false }]))
}

/**
 * Finds and records which earlier transfers the new ones are, or may be, by the id of the new one. What gives way to a
 * new one is returned separately: the new one is no duplicate of it.
 */
export const noteDuplicates = async (
  tx: Tx,
  transfers: readonly NewTransfer[],
  findReported: FindReported,
  isLone: boolean,
): Promise<{ readonly duplicates: ReadonlyMap<string, Duplicate>; readonly givingWay: readonly GivingWay[] }> => {
  const pairs = await findDuplicates(tx, transfers, findReported, isLone)
  const further = await findFurtherBookings(tx, transfers, pairs)
  const inOtherForm = transfers.flatMap(({ requisiteId, otherForm }, index) => {
    const pair = pairs.get(index)
    if (!otherForm || further.has(index) || (pair && (pair.isCertain || !otherForm.isCertain))) return []
    const other = { id: otherForm.id, requisiteId, channel: '', likeness: null }
    return [[index, { other, isCertain: otherForm.isCertain, how: otherForm }] as const]
  })
  const found = [...new Map<number, Duplicate>([...pairs, ...further, ...inOtherForm])].flatMap(
    ([index, duplicate]) => {
      const transfer = transfers[index]
      return transfer ? [{ transfer, duplicate }] : []
    },
  )
  if (found.length === 0) return { duplicates: new Map(), givingWay: [] }
  const lone = found.flatMap(({ duplicate: { other } }) => (other.givesWay ? [other] : []))
  const ids = isLone ? new Set() : await lockGivingWay(tx, lone)
  const [noted = [], replacing = []] = [false, true].map((givesWay) =>
    found.filter(({ duplicate }) => ids.has(duplicate.other.id) === givesWay),
  )
  const giving = [...new Map(replacing.map((each) => [each.duplicate.other.id, each])).values()]
  const rows = noted.map(({ transfer: { requisiteId, id }, duplicate }) => {
    return { requisiteId, id, duplicateOf: duplicate.other.id }
  })
  if (rows.length > 0) await tx.query(setDuplicates, { rows })
  return {
    duplicates: await doubtWithdrawn(tx, new Map(noted.map(({ transfer, duplicate }) => [transfer.id, duplicate]))),
    givingWay: giving.map(({ transfer: { id: duplicateOf }, duplicate: { other, isCertain } }) => {
      return { requisiteId: other.requisiteId, id: other.id, duplicateOf, isCertain }
    }),
  }
}

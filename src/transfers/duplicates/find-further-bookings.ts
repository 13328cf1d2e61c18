import type { Queryable } from '../../database/database.ts'
import type { Duplicate } from '../../domain/duplicate.ts'
import { firstKeyOf } from '../../domain/transfer.ts'
import { listMoneyByKey } from './store.ts'

/**
 * The first booking of each transfer that is a further one of its file under one reference and amount, by the index of the
 * transfer; one that is among `found` is another transfer for certain, or asked about as that. Banks split a sum into equal
 * parts under one reference, and files have rows twice: neither is known here.
 */
export const findFurtherBookings = async (
  sql: Queryable,
  transfers: readonly { readonly id: string; readonly requisiteId: string; readonly dedupeKey: string }[],
  found: ReadonlyMap<number, Duplicate>,
): Promise<Map<number, Duplicate>> => {
  const further = transfers.flatMap(({ requisiteId, dedupeKey }, index) => {
    const firstKey = firstKeyOf(dedupeKey)
    return firstKey === undefined || found.has(index) ? [] : [{ index, requisiteId, dedupeKey: firstKey }]
  })
  if (further.length === 0) return new Map()
  const firsts = await sql.query(listMoneyByKey, { rows: further })
  // Those of this report have no parts yet that say whose money they are.
  const certain = new Map(
    transfers.flatMap(({ id }, index) => {
      const duplicate = found.get(index)
      return duplicate?.isCertain ? [[id, duplicate.other] as const] : []
    }),
  )
  const byKey = new Map(firsts.map((each) => [`${each.requisiteId} ${each.dedupeKey}`, each]))
  return new Map(
    further.flatMap(({ index, requisiteId, dedupeKey }) => {
      const first = byKey.get(`${requisiteId} ${dedupeKey}`)
      if (!first) return []
      const other = certain.get(first.reportId) ?? first
      return [[index, { other, isCertain: false, how: 'one-reference' as const }] as const]
    }),
  )
}

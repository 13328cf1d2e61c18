import type { Tx } from '../context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { dedupeKeys, type ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { readCrediting } from '../requisites/read.ts'

export type Shared = ReportedTransfer & { readonly sharing?: readonly string[] }

/** `key` identifies a transfer: its requisite and its dedupe key. */
export type Keyed = Shared & { readonly dedupeKey: string; readonly key: string }

/** Checks transfers; returns their requisites. Refuses `validation_failed`. */
export const checkTransfers = async (tx: Tx, transfers: readonly Shared[]) => {
  const known = await readCrediting(
    tx,
    transfers.flatMap(({ requisiteId, sharing = [] }) => [requisiteId, ...sharing]),
  )
  const errors = transfers.flatMap((transfer, index) => {
    const currency = known.get(transfer.requisiteId)?.currency
    const wrong = (field: string, message: string) => [
      { field: `transfers.${index}.${field}`, code: 'validation_failed', message },
    ]
    if (currency === undefined) return wrong('requisiteId', 'is not a known requisite.')
    if (currency !== transfer.currency) return wrong('currency', `must be ${currency}, the requisite's.`)
    if (transfer.amount <= 0n) return wrong('amount', 'must be greater than 0.')
    return []
  })
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'Some transfers are not valid; nothing was recorded.', { errors })
  return known
}

/** One reference for what must be two transfers: recording only one of them would lose the other. */
export const refuseReference = (index: number, message: string): Refusal => {
  const field = `transfers.${index}.bankReference`
  return new Refusal('validation_failed', `${field} ${message} Nothing was recorded.`, {
    errors: [{ field, code: 'validation_failed', message }],
  })
}

/** Gives transfers their keys. Refuses `validation_failed` if two have the same. */
export const withKeys = (transfers: readonly Shared[]): Keyed[] => {
  const keys = dedupeKeys(transfers)
  const seen = new Set<string>()
  return transfers.map((transfer, index) => {
    const dedupeKey = keys[index] ?? ''
    const key = `${transfer.requisiteId} ${dedupeKey}`
    if (seen.has(key)) throw refuseReference(index, 'is there twice with the same amount.')
    seen.add(key)
    return { ...transfer, dedupeKey, key }
  })
}

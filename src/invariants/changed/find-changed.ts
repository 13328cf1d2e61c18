import type { Queryable } from '../../database/database.ts'
import type { ChangedParameters } from '../../database/invariant.ts'
import { day, hour, type Instant } from '../../domain/time.ts'
import {
  listChangedDocuments,
  listChangedPayments,
  listChangedTransfers,
  listPaymentsOfTransfers,
  listTransfersOfPayments,
} from './store.ts'

/** What has changed, as the queries of invariants take it. */
export type Changed = Omit<ChangedParameters, 'now' | 'rows'>

type Key = { readonly ownerId: string; readonly id: string }

/** Ids begin with the time of their making: the least one that was made at a time. */
export const leastIdAt = (at: Instant): string => {
  const hex = Math.max(at, 0).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** Keys of a set, and those of them that are new since they were last taken. */
class Keys {
  readonly #known = new Map<string, Key>()
  #fresh: Key[] = []

  add(keys: readonly Key[]): void {
    for (const key of keys) {
      const name = key.ownerId + key.id
      if (this.#known.has(name)) continue
      this.#known.set(name, key)
      this.#fresh.push(key)
    }
  }

  takeFresh(): readonly Key[] {
    return this.#fresh.splice(0)
  }

  all(): readonly Key[] {
    return [...this.#known.values()]
  }
}

// Hours are counted two days after they began.
const hoursBefore = 3 * day

/**
 * What is open or has changed since a time, with everything that its money is connected to: a transfer with all its
 * payments, a payment with all its transfers.
 */
export const findChanged = async (sql: Queryable, since: Instant): Promise<Changed> => {
  // An invariant may compare two rows of one transaction, whose ids are next to each other.
  const sinceId = leastIdAt(since - hour)
  const [payments, transfers] = [new Keys(), new Keys()]
  payments.add(await sql.query(listChangedPayments, { sinceId, since }))
  transfers.add(await sql.query(listChangedTransfers, { sinceId, since }))
  for (;;) {
    const [newPayments, newTransfers] = [payments.takeFresh(), transfers.takeFresh()]
    if (newPayments.length + newTransfers.length === 0) break
    transfers.add(await sql.query(listTransfersOfPayments, { rows: newPayments }))
    payments.add(await sql.query(listPaymentsOfTransfers, { rows: newTransfers }))
  }
  const documents = await sql.query(listChangedDocuments, { sinceId })
  const hoursFrom = Math.floor((since - hoursBefore) / hour) * hour
  return {
    since,
    earlierId: leastIdAt(since - 2 * hour),
    hoursFrom,
    hoursId: leastIdAt(hoursFrom),
    paymentMerchants: payments.all().map(({ ownerId }) => ownerId),
    paymentIds: payments.all().map(({ id }) => id),
    transferRequisites: transfers.all().map(({ ownerId }) => ownerId),
    transferIds: transfers.all().map(({ id }) => id),
    documentBooks: documents.map(({ ownerId }) => ownerId),
    documentIds: documents.map(({ id }) => id),
  }
}

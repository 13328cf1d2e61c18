import type { Queryable } from 'payin-database'
import type { ChangedParameters } from '../invariant.ts'
import { day, hour, type Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import {
  listChangedDocuments,
  listChangedPayments,
  listChangedTransfers,
  listPaymentsOfTransfers,
  listTransfersOfPayments,
} from './store.ts'

/** The changes, as parameters of the invariants' queries. */
export type Changed = Omit<ChangedParameters, 'now'>

type Key = { readonly ownerId: string; readonly id: string }

/** Adds keys to a set; returns those that are new. */
const addNew = (known: Map<string, Key>, keys: readonly Key[]): Key[] =>
  keys.filter((key) => {
    const name = key.ownerId + key.id
    return !known.has(name) && known.set(name, key)
  })

// Hours are counted two days after they began.
const hoursBefore = 3 * day

/** What is open or has changed since a time, with all payments and transfers that its money is connected to. */
export const findChanged = async (sql: Queryable, since: Instant): Promise<Changed> => {
  // An invariant may compare two rows of one transaction, whose ids are close to each other.
  const sinceId = leastIdAt(since - hour)
  const [payments, transfers] = [new Map<string, Key>(), new Map<string, Key>()]
  let newPayments = addNew(payments, await sql.query(listChangedPayments, { sinceId, since }))
  let newTransfers = addNew(transfers, await sql.query(listChangedTransfers, { sinceId, since }))
  while (newPayments.length + newTransfers.length > 0) {
    const foundTransfers = await sql.query(listTransfersOfPayments, { rows: newPayments })
    newPayments = addNew(payments, await sql.query(listPaymentsOfTransfers, { rows: newTransfers }))
    newTransfers = addNew(transfers, foundTransfers)
  }
  const documents = await sql.query(listChangedDocuments, { sinceId })
  const hoursFrom = Math.floor((since - hoursBefore) / hour) * hour
  return {
    since,
    earlierId: leastIdAt(since - 2 * hour),
    hoursFrom,
    hoursId: leastIdAt(hoursFrom),
    paymentMerchants: [...payments.values()].map(({ ownerId }) => ownerId),
    paymentIds: [...payments.values()].map(({ id }) => id),
    transferRequisites: [...transfers.values()].map(({ ownerId }) => ownerId),
    transferIds: [...transfers.values()].map(({ id }) => id),
    documentBooks: documents.map(({ ownerId }) => ownerId),
    documentIds: documents.map(({ id }) => id),
  }
}

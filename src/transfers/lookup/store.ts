import { fewRows, inSpan, typedId, typedName } from '../../database/id-span.ts'
import { array, bigint, instant, nullable, query, text, uuid } from '../../database/query.ts'

const row = {
  requisiteId: uuid,
  id: uuid,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  bankReference: nullable(text),
}

const rows = (table: string): string => `select ${table}.requisite_id, ${table}.id, ${table}.currency, ${table}.amount,
    ${table}.booked_at, ${table}.bank_reference from ${table}`

/** Requisite by requisite, so that the indexes, which all begin with it, find the few rows. */
const ofEach = (...found: readonly string[]): string => `select distinct found.*
  from unnest(:requisiteIds) as account (requisite_id) cross join lateral (
    ${found.map((each) => `(${each} ${fewRows})`).join(' union all ')}
  ) as found ${fewRows}`

const own = (table: string): string => `${rows(table)} where ${table}.requisite_id = account.requisite_id`

/** Transfers by their bank reference or shortened id. */
export const findTransfers = query('find_transfers', {
  parameters: { requisiteIds: array(uuid), ...typedName },
  row,
  text: ofEach(
    `${own('transfers')} and transfers.bank_reference = :typed`,
    `${own('transfers')} and ${inSpan('transfers')}`,
  ),
})

/** Reversals by their shortened id. */
export const findReversals = query('find_transfer_reversals', {
  parameters: { requisiteIds: array(uuid), ...typedId },
  row,
  text: ofEach(`${own('transfer_reversals')} and ${inSpan('transfer_reversals')}`),
})

/** Outgoing transfers by their shortened id. */
export const findOutgoing = query('find_outgoing_transfers', {
  parameters: { requisiteIds: array(uuid), ...typedId },
  row,
  text: ofEach(`${own('outgoing_transfers')} and ${inSpan('outgoing_transfers')}`),
})

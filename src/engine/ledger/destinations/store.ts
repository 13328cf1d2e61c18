import { boolean, byName, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { DestinationKind } from '../../../rules/money/destination.ts'
import { ofMerchants } from '../store.ts'

const changing = {
  proposedBy: nullable(text),
  approvedBy: nullable(text),
  readyAt: nullable(instant),
  retiredBy: nullable(text),
  retiredAt: nullable(instant),
}

const destinationRow = {
  merchantId: uuid,
  id: uuid,
  kind: word<DestinationKind>(),
  address: text,
  label: text,
  requestedBy: nullable(text),
  proposedAt: instant,
  ...changing,
}

const destinations = table('destinations', { merchantId: uuid, id: uuid })

/** Adds a destination; its address must not be in use. */
export const insertDestination = destinations.insert('insert_destination', destinationRow)

export const findDestinationByAddress = table('destinations', {
  ...{ merchantId: uuid, kind: word<DestinationKind>(), address: text },
}).select('find_destination_by_address', destinationRow, 'and retired_at is null')

export const countRequested = query('count_requested_destinations', {
  parameters: { merchantId: uuid },
  row: { waiting: integer },
  text: `select count(*)::integer as waiting from destinations
    where merchant_id = :merchantId and proposed_by is null and retired_at is null`,
})

/** Labels and addresses of a merchant's destinations in use. */
export const listNamesInUse = query('list_names_of_destinations_in_use', {
  parameters: { merchantId: uuid },
  row: { label: text, address: text },
  text: `select label, address from destinations where merchant_id = :merchantId and retired_at is null`,
})

const lock = (name: string, mode: 'for update' | 'for share') =>
  query(name, {
    parameters: { merchantId: uuid, id: uuid },
    row: destinationRow,
    text: `select :row from destinations where merchant_id = :merchantId and id = :id ${mode}`,
  })

/** Excludes another step of this destination, and settlements to it. */
export const lockDestination = lock('lock_destination', 'for update')
/** Excludes that it is retired; several settlements may go there. */
export const lockDestinationInUse = lock('lock_destination_in_use', 'for share')

export const updateDestination = destinations.update('update_destination', changing)

export const selectDestinations = destinations.page('list_destinations', destinationRow, ofMerchants)

export const findDestinations = byName(
  'find_destinations',
  'destinations',
  { merchantId: uuid, id: uuid, label: text, address: text, isOver: boolean },
  ':typed in (label, address)',
  `select merchant_id, id, label, address, retired_at is not null as is_over from destinations
    where destinations.merchant_id = owner.id`,
)

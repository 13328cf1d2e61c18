import type { Tx } from '../../context.ts'
import { lockAdding, reader } from 'payin-database'
import {
  approvedDestination,
  type Destination,
  type DestinationApproval,
  isMistakable,
  readAddress,
  refuseUnready,
  spellLabel,
} from '../../../rules/money/destination.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import {
  countRequested,
  findDestinationByAddress,
  findDestinations,
  insertDestination,
  listNamesInUse,
  lockDestination,
  lockDestinationInUse,
  selectDestinations,
  updateDestination,
} from './store.ts'

type DestinationKey = Pick<Destination, 'merchantId' | 'id'>

const lock = async (tx: Tx, { merchantId, id }: DestinationKey): Promise<Destination> =>
  requireRow(await tx.query(lockDestination, { merchantId, id }), 'destination')

type WantedDestination = Pick<Destination, 'merchantId' | 'kind' | 'address' | 'label' | 'requestedBy' | 'proposedBy'>

/** Most destinations of a merchant that may wait until an operator takes them up. */
const mostRequests = 20

/**
 * Proposes where settlements of a merchant may be sent. Repeating it returns the same destination (`created` is false).
 * Refuses `validation_failed` if form, check digits or checksum of the address are wrong, and `already_exists` if the
 * address has another label, or the label could be taken for that or the address of another destination in use. A
 * merchant asks (`proposedBy` is null); while too many of its requests wait, that refuses `invalid_state`.
 */
export const proposeDestination = async (
  tx: Tx,
  wanted: WantedDestination,
): Promise<{ readonly destination: Destination; readonly created: boolean }> => {
  const read = readAddress(wanted.kind, wanted.address)
  if ('fault' in read) throw refuseField('address', read.fault)
  const open = { approvedBy: null, readyAt: null, retiredBy: null, retiredAt: null }
  const label = spellLabel(wanted.label)
  if (label === '') throw refuseField('label', 'must not be empty.')
  const destination = { ...wanted, ...read, ...open, label, id: tx.newId(), proposedAt: tx.now }
  // One at a time: of two concurrent proposals with one label, neither would see the other.
  await lockAdding(tx, `destinations of ${wanted.merchantId}`)
  const [existing] = await tx.query(findDestinationByAddress, destination)
  if (existing?.label === label) return { destination: existing, created: false }
  if (existing)
    throw new Refusal('already_exists', 'The merchant has a destination with this address, under another label.')
  const other = (await tx.query(listNamesInUse, wanted)).find((each) => isMistakable(destination, each))
  if (other)
    throw new Refusal(
      'already_exists',
      `It could be taken for the destination ${other.label} (${other.address}): choose another label, or retire that one.`,
    )
  const [requested] = wanted.proposedBy === null ? await tx.query(countRequested, wanted) : []
  if (requested && requested.waiting >= mostRequests)
    throw invalidState(`${mostRequests} destinations already wait for the operator.`)
  await tx.query(insertDestination, destination)
  return { destination, created: true }
}

/**
 * Approves a destination, which may be used some time later. Repeating it changes nothing. Refuses
 * `resource_not_found`, `invalid_state` and `second_person_required`.
 */
export const approveDestination = async (
  tx: Tx,
  key: DestinationKey,
  approval: DestinationApproval,
): Promise<Destination> => {
  const destination = approvedDestination(await lock(tx, key), approval, tx.now)
  if (destination instanceof Refusal) throw destination
  await tx.query(updateDestination, destination)
  return destination
}

/** Retires a destination at once and for good; repeating it changes nothing. Refuses `resource_not_found`. */
export const retireDestination = async (tx: Tx, key: DestinationKey, actor: string): Promise<Destination> => {
  const before = await lock(tx, key)
  if (before.retiredAt !== null) return before
  const destination = { ...before, retiredBy: actor, retiredAt: tx.now }
  await tx.query(updateDestination, destination)
  return destination
}

/**
 * A destination to which a settlement may be sent, and which nobody retires before the transaction ends. Refuses
 * `resource_not_found`, and `invalid_state` if it is proposed, cooling or retired.
 */
export const holdDestination = async (tx: Tx, { merchantId, id }: DestinationKey): Promise<Destination> => {
  const destination = requireRow(await tx.query(lockDestinationInUse, { merchantId, id }), 'destination')
  const refusal = refuseUnready(destination, tx.now)
  if (refusal) throw refusal
  return destination
}

/**
 * A destination that may become or be ready, and which nobody retires before the transaction ends. Refuses
 * `resource_not_found`, and `invalid_state` if it is retired.
 */
export const holdUsable = async (tx: Tx, { merchantId, id }: DestinationKey): Promise<Destination> => {
  const destination = requireRow(await tx.query(lockDestinationInUse, { merchantId, id }), 'destination')
  if (destination.retiredAt !== null) throw invalidState(`The destination ${destination.label} is retired.`)
  return destination
}

/** Destinations of a merchant or of all of a mode, the newest first, from before an id. */
export const listDestinations = reader(selectDestinations)

export const findDestinationsByName = reader(findDestinations)

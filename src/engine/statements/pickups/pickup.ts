import type { Context, Tx } from '../../context.ts'
import { reader } from 'payin-database'
import { type Pickup, pickupFaults, readDepot } from '../../../rules/statements/pickup.ts'
import { invalid, invalidState, refuseField, refuseProblems } from '../../../rules/refusal.ts'
import { second } from '../../../rules/time.ts'
import { getSource, lockToChange } from '../sources/sources.ts'
import { hasten, selectPicked, setDepot } from './store.ts'
import { sealedText } from '../../../secrets/sealed-text.ts'

/** A file must have been the same for this long before it is taken: it may still be written. */
const unchangedMs = 20 * second

/** The key on the change bus that wakes whoever looks for files. */
export const pickupsKey = 'pickups'

/** The secret of a pickup. */
export const pickupSecret = sealedText('statement_sources', 'pickup_secret_sealed')

/**
 * Sets where the files of a source are picked up. `changedBy` is on whose word the source then stands, until another
 * operator approves it. Refuses `resource_not_found`, `validation_failed`, and as `refuseUnapproved` does.
 */
export const setPickup = async (
  tx: Tx,
  id: string,
  { secret, changedBy, ...pickup }: Pickup & { readonly secret: string | null; readonly changedBy: string | null },
): Promise<void> => {
  const before = await lockToChange(tx, id, changedBy)
  const faults = pickupFaults(pickup)
  const refusal = refuseProblems(faults.map(([field, message]) => invalid(field, message)))
  if (refusal) throw refusal
  const isFolder = readDepot(pickup.address)?.kind === 'folder'
  if (isFolder !== (secret === null)) throw refuseField('secret', isFolder ? 'is not for folders.' : 'is required.')
  await tx.query(setDepot, {
    ...{ id, pickup, pickupDueAt: tx.now, changedBy: changedBy ?? before.changedBy },
    pickupSecretSealed: secret === null ? null : pickupSecret.seal(tx.vault, id, secret),
  })
}

/** Ends the pickup of a source; what was picked up stays. Refuses `resource_not_found`. */
export const endPickup = async (tx: Tx, id: string): Promise<void> => {
  const { changedBy } = await lockToChange(tx, id, null)
  await tx.query(setDepot, { id, pickup: null, pickupSecretSealed: null, pickupDueAt: null, changedBy })
}

/** Lets the next look be as soon as it may be. Refuses `resource_not_found`, `invalid_state` without a pickup. */
export const lookSoon = async (context: Context, id: string): Promise<void> => {
  await getSource(context, id)
  if ((await context.query(hasten, { id, now: context.clock(), unchangedMs })).length === 0)
    throw invalidState('The source has no pickup.')
  context.changes.publish([pickupsKey])
}

/** A page of the files of a source that were picked up, or must not be taken, the newest first. */
export const listPicked = reader(selectPicked)

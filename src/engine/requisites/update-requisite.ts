import { recordActs } from '../audit/record-acts.ts'
import type { Agreeing, Tx } from '../context.ts'
import { raiseCatalogVersion } from '../catalog.ts'
import { checkRecipient, type Recipient } from '../../rules/requisites/recipient.ts'
import { invalid, invalidState, noSuch, Refusal } from '../../rules/refusal.ts'
import { requisiteGroup } from '../../rules/requisites/requisite-health.ts'
import type { Requisite, RequisiteLimits } from '../../rules/requisites/requisite.ts'
import { formatInstant, type Instant } from '../../rules/time.ts'
import { bankIssuers } from './bank-issuers.ts'
import { revealNumber, revealRecipient, sealRecipient } from './requisite-pool.ts'
import { listRequisites, updateRequisiteRow, updateRecipientRow } from './store.ts'

/** A requisite as stored, locked against changes of any requisite until the transaction ends. */
const holdRequisite = async (tx: Tx, id: string): Promise<Requisite> => {
  await raiseCatalogVersion(tx, 'requisites')
  const found = (await tx.query(listRequisites, {})).find((each) => each.id === id)
  if (!found) throw noSuch('requisite')
  return found
}

const heldBy = (
  reason: string | null | undefined,
  { creditingHeld }: Pick<Requisite, 'creditingHeld'>,
  now: Instant,
): Requisite['creditingHeld'] => {
  if (reason === undefined) return creditingHeld
  return reason === null ? null : { reason, since: formatInstant(now) }
}

type Zone = Pick<Requisite, 'proposedZone'> & Pick<RequisiteLimits, 'utcOffsetMinutes'>

/** The zone once an operator sets one. Further east, late money would be early: two agree on it (docs/domain.md §6.2). */
const agreeOnZone = async (tx: Tx, before: Requisite, wanted: number, second?: Agreeing): Promise<Zone> => {
  const { mode, limits, proposedZone: proposed } = before
  if (!second?.needsSecond || mode === 'sandbox') return { utcOffsetMinutes: wanted, proposedZone: null }
  const { actor, refuseOnePerson } = second
  const isOwn = proposed?.by === actor
  if (wanted === limits.utcOffsetMinutes) return { utcOffsetMinutes: wanted, proposedZone: isOwn ? null : proposed }
  if (!proposed || isOwn || proposed.utcOffsetMinutes !== wanted)
    return { utcOffsetMinutes: limits.utcOffsetMinutes, proposedZone: { utcOffsetMinutes: wanted, by: actor } }
  await refuseOnePerson(tx, proposed.by)
  return { utcOffsetMinutes: wanted, proposedZone: null }
}

/**
 * Pauses, resumes or retires a requisite, holds or resumes automatic crediting of its money, or changes its label or
 * limits; a retired one stays retired. A time zone waits, where `second` is needed, until another operator sets the same.
 * Refuses `resource_not_found`, `invalid_state`, `second_person_required`.
 */
export const updateRequisite = async (
  tx: Tx,
  id: string,
  wanted: {
    readonly status?: Requisite['status'] | undefined
    /** Null removes it. */
    readonly label?: string | null | undefined
    readonly limits?: Partial<RequisiteLimits> | undefined
    /** Why only persons credit its money from now on; null ends that. */
    readonly creditingHeld?: string | null | undefined
  },
  second?: Agreeing,
): Promise<{ before: Requisite; after: Requisite }> => {
  const before = await holdRequisite(tx, id)
  if (before.status === 'retired' && wanted.status !== undefined && wanted.status !== 'retired') {
    throw invalidState('A retired requisite does not come back; add it again.')
  }
  const zone = wanted.limits?.utcOffsetMinutes
  const { proposedZone, utcOffsetMinutes } =
    zone === undefined ? { ...before, ...before.limits } : await agreeOnZone(tx, before, zone, second)
  const after: Requisite = {
    ...before,
    proposedZone,
    status: wanted.status ?? before.status,
    label: wanted.label === undefined ? before.label : wanted.label,
    limits: { ...before.limits, ...wanted.limits, utcOffsetMinutes },
    creditingHeld: heldBy(wanted.creditingHeld, before, tx.now),
  }
  await tx.query(updateRequisiteRow, after)
  return { before, after }
}

/** Holds automatic crediting of a requisite's money because of a statement; the first one stays until a person ends it. */
export const holdCrediting = async (tx: Tx, id: string, reason: string, statementId: string): Promise<void> => {
  const before = await holdRequisite(tx, id)
  if (before.creditingHeld !== null) return
  const creditingHeld = { reason, since: formatInstant(tx.now), statementId }
  await tx.query(updateRequisiteRow, { ...before, creditingHeld })
  const subject = `requisite:${id}`
  await recordActs(tx, [{ actor: 'service', action: 'requisite.hold-crediting', subject, details: creditingHeld }])
}

/**
 * Changes the holder and the recipient of a requisite; null removes a field. Payers see it immediately, even those of
 * open payments. Refuses `resource_not_found` and `validation_failed`.
 */
export const updateRecipient = async (
  tx: Tx,
  id: string,
  {
    holder,
    ...wanted
  }: { readonly holder?: string | undefined } & { readonly [K in keyof Recipient]?: string | null | undefined },
): Promise<Requisite> => {
  const before = await holdRequisite(tx, id)
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  const recipient: Recipient = { ...revealRecipient(tx.vault, before), ...given }
  const issuer = (await bankIssuers.load(tx, undefined)).get(before.bankIssuer)
  const faults = checkRecipient(recipient, { ...before, number: revealNumber(tx.vault, before) }, issuer)
  if (faults.length > 0) {
    // The number cannot be changed here, so the BIC must be what does not fit it.
    const errors = faults.map(({ field, message }) =>
      field === 'number'
        ? invalid('bic', 'does not fit the number of the requisite: a digit is wrong.')
        : invalid(field, message),
    )
    throw new Refusal('validation_failed', 'Some details of the recipient are not valid; none was changed.', { errors })
  }
  const changed = { holder: holder ?? before.holder, recipientSealed: sealRecipient(tx.vault, id, recipient) }
  await tx.query(updateRecipientRow, { id, ...changed })
  return { ...before, ...changed }
}

/**
 * Pauses an active requisite unless it is the last active one of its group according to the database, not to memory, so
 * that several nodes never pause a whole group; returns whether it did.
 */
export const pauseUnlessLast = async (tx: Tx, id: string): Promise<boolean> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'requisites')
  const active = (await tx.query(listRequisites, {})).filter((each) => each.status === 'active')
  const requisite = active.find((each) => each.id === id)
  if (!requisite) return false
  const group = requisiteGroup(requisite)
  if (!active.some((each) => each.id !== id && requisiteGroup(each) === group)) return false
  await tx.query(updateRequisiteRow, { ...requisite, status: 'paused' })
  return true
}

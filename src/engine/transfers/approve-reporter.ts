import { invalidState, Refusal } from '../../rules/refusal.ts'
import { hexHash } from '../../secrets/hashes.ts'
import type { Tx } from '../context.ts'
import type { Assigner } from './transfer-parts.ts'

/** A source, a phone, or what reads its messages: it stands on the word of `changedBy`, who alone added or changed it. */
type Reporter = { readonly changedBy: string | null }

type Kind = 'source' | 'phone' | 'template'

/** What another operator approves: the whole hash of what the reporter `says`, which its author has chosen. */
export type Unapproved = { readonly by: string; readonly version: string }

/** What of a reporter waits for an approval; null if nothing does. */
export const unapprovedOf = ({ changedBy }: Reporter, says: readonly unknown[]): Unapproved | null =>
  changedBy === null ? null : { by: changedBy, version: hexHash(Buffer.from(JSON.stringify(says))) }

/**
 * Refuses `invalid_state` while the change of another operator waits for approval. Who works alone, and so needs none
 * (null), may always change it.
 */
export const refuseUnapproved = ({ changedBy }: Reporter, by: string | null, kind: Kind): void => {
  if (by === null || changedBy === null || changedBy === by) return
  throw invalidState(
    `${changedBy} has added it or changed it, and nobody has approved that yet: approve it first (payin ${kind}s approve).`,
  )
}

/** Refuses `invalid_state` if nothing waits, `status_changed` if it is not as it was `seen`, and whoever changed it. */
export const refuseApproval = async (
  tx: Tx,
  kind: Kind,
  unapproved: Unapproved | null,
  seen: string,
  { refuseOnePerson }: Pick<Assigner, 'refuseOnePerson'>,
): Promise<void> => {
  if (unapproved === null) throw invalidState(`Nothing of this ${kind} waits for an approval.`)
  if (unapproved.version !== seen)
    throw new Refusal('status_changed', `The ${kind} has been changed by now: look again.`)
  await refuseOnePerson(tx, unapproved.by)
}

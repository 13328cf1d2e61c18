import type { Tx } from '../../../context.ts'
import { postSent, postUnsent } from '../../../domain/outgoing.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { postEntries } from '../../../ledger/post-entries.ts'
import type { TransferKey } from '../../lock-transfer.ts'
import { lockForDecision } from '../lock-unexplained.ts'
import { findOutgoingRow, type StoredOutgoing } from '../store.ts'
import { findChannelOfBoth, markOther, markSame } from './store.ts'

type By = { readonly actor: string; readonly reason: string }

const findOriginal = async (tx: Tx, { requisiteId, duplicateOf }: StoredOutgoing): Promise<string> => {
  const [other] = duplicateOf === null ? [] : await tx.query(findOutgoingRow, { requisiteId, id: duplicateOf })
  if (!other) throw new Refusal('invalid_state', 'It is not a possible duplicate of another outgoing transfer.')
  if (other.state === 'withdrawn')
    throw new Refusal('invalid_state', `Outgoing transfer ${other.id} was withdrawn: this one is other money.`)
  return other.state === 'duplicate' && other.duplicateOf !== null ? other.duplicateOf : other.id
}

/** Whether outgoing money is that of another outgoing transfer, or its own. */
export type DuplicateDecision = 'same-money' | 'other-money'

const sameMoney = async (tx: Tx, key: TransferKey, { actor, reason }: By): Promise<void> => {
  const outgoing = await lockForDecision(tx, key)
  if (outgoing.state === 'duplicate') return
  if (outgoing.state !== 'unexplained')
    throw new Refusal('invalid_state', `The outgoing transfer is ${outgoing.state}: unbook it first.`)
  const duplicateOf = await findOriginal(tx, outgoing)
  const { requisiteId, id, channel } = outgoing
  const [both] = await tx.query(findChannelOfBoth, { requisiteId, id, otherId: duplicateOf, channel })
  if (both) throw new Refusal('invalid_state', `${both.channel} reports both it and ${duplicateOf}: it is other money.`)
  await tx.query(markSame, { requisiteId, id, duplicateOf, reason, decidedBy: actor, decidedAt: tx.now })
  await postEntries(tx, [[postUnsent(outgoing)]])
}

const otherMoney = async (tx: Tx, key: TransferKey): Promise<void> => {
  const outgoing = await lockForDecision(tx, key)
  const { requisiteId, id } = outgoing
  if (outgoing.duplicateOf === null || outgoing.state === 'booked' || outgoing.state === 'withdrawn') return
  await tx.query(markOther, { requisiteId, id })
  if (outgoing.state === 'duplicate') await postEntries(tx, [[postSent(outgoing)]])
}

/**
 * Says that a possible duplicate is the same money as the outgoing transfer that it names, and leaves the ledger by
 * reversing entries; or that it is money of its own, also afterwards. Again it changes nothing. Refuses
 * `resource_not_found`, and `invalid_state` for what is not a possible duplicate, was booked, names what was withdrawn, is
 * reported next to the other one by another channel, or is being withdrawn with its statement.
 */
export const decideDuplicate = async (tx: Tx, key: TransferKey, decision: DuplicateDecision, by: By): Promise<void> =>
  decision === 'same-money' ? sameMoney(tx, key, by) : otherMoney(tx, key)

import type { Tx } from '../../context.ts'
import { noticeMs } from '../../../rules/transfers/outgoing.ts'
import { invalidState } from '../../../rules/refusal.ts'
import { listSharing } from '../../requisites/read.ts'
import { ignoreTransfer } from '../decisions/decide-transfer.ts'
import { refuseUsedAgain } from '../lone-reports/note-used-again.ts'
import { lockTransfer, refuseUnconfirmed } from '../transfer-parts.ts'
import { type Explainer, refuseOwnReport } from './agree-on-purpose.ts'
import { listArrivedElsewhere, type StoredOutgoing } from './store.ts'

type Wanted = {
  /** The transfer that arrived; null: the only possible one. */
  readonly transferId: string | null
  readonly reason: string
  readonly by: Explainer
}

/** Transfers on other accounts of ours that may be outgoing money which arrived there. */
export const listArrived = async (tx: Tx, { requisiteId, currency, amount, bookedAt }: StoredOutgoing) => {
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  const span = { since: bookedAt - noticeMs, until: bookedAt + noticeMs }
  return tx.query(listArrivedElsewhere, { requisiteIds, currency, amount, ...span })
}

/**
 * Sets aside the transfer by which outgoing money arrived on another of our accounts, and returns its id. Refuses
 * `invalid_state` if not exactly one may be it, and as deciding about that transfer does.
 */
export const setAsideArrived = async (tx: Tx, outgoing: StoredOutgoing, { transferId, reason, by }: Wanted) => {
  const arrived = await listArrived(tx, outgoing)
  const [only, ...others] = transferId === null ? arrived : arrived.filter(({ id }) => id === transferId)
  if (!only || outgoing.givenBack) {
    const message = 'No money on another account fits and belongs to no payment: import its statement first.'
    throw invalidState(message)
  }
  if (others.length > 0) {
    const ids = [only, ...others].map(({ id }) => id).join(', ')
    throw invalidState(`Several transfers may be this money: name one of ${ids}.`)
  }
  const { isWaiting, ...key } = only
  const transfer = await lockTransfer(tx, key)
  await refuseUnconfirmed(tx, transfer, by)
  await refuseOwnReport(tx, outgoing, transfer.reportedBy, by)
  if (isWaiting) await ignoreTransfer(tx, key, { actor: by.actor, note: reason }, true)
  else await refuseUsedAgain(tx, transfer, by)
  return key.id
}

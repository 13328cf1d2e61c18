import type { Tx } from '../context.ts'
import { feedChannel } from '../../rules/transfers/channel.ts'
import { dedupeKey, type ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { listOpenings } from '../ledger/reconciliation/set-opening-balance.ts'
import type { LoneReport } from '../../rules/money/settlement.ts'
import { onFirstRequisite } from '../transfers/on-first-requisite.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'
import { recordReversals } from '../transfers/reversals/reversals.ts'
import { noteContact, sourcesOfSameMoney } from './sources/sources.ts'

/** A transfer that a source pushes. Its reference makes pushing it again change nothing. */
export type PushedTransfer = ReportedTransfer & {
  readonly bankReference: string
  readonly status: 'booked' | 'pending' | 'reversed'
}

/** A reversal is `waiting` if it fits not exactly one transfer, or if nobody has approved the key that signed it. */
export const pushStates = ['recorded', 'already-known', 'waiting', 'pending', 'before-opening'] as const

/** What happened to a pushed transfer; `id` is that of the transfer, if known. */
export type PushedResult = { readonly id: string | null; readonly state: (typeof pushStates)[number] }

/**
 * Records what a source pushes, all or nothing, and answers in the same order. Pending transfers are skipped, and those
 * from before an opening balance. `lone`: nobody has approved the key, so the push stands
 * on the word of whoever made it, and its reversals wait. Refuses
 * `validation_failed`.
 */
export const recordPush = async (
  tx: Tx,
  sourceId: string,
  reported: readonly PushedTransfer[],
  lone: LoneReport | null,
): Promise<PushedResult[]> => {
  const pushed = await onFirstRequisite(tx, reported)
  const related = await sourcesOfSameMoney(tx, feedChannel(sourceId))
  const openings = await listOpenings(
    tx,
    pushed.map((each) => each.requisiteId),
  )
  const isBefore = ({ requisiteId, bookedAt }: PushedTransfer): boolean =>
    bookedAt < (openings.get(requisiteId)?.beginsAt ?? -Infinity)
  const taken = pushed.filter((each) => !isBefore(each))
  const booked = taken
    .filter((each) => each.status === 'booked')
    .map((each) => ({ ...each, sameMoneySources: related }))
  const reversed = taken
    .filter((each) => each.status === 'reversed')
    .map((each) => ({ ...each, dedupeKey: `reversal:${dedupeKey(each, 0)}` }))
  const transfers = (await recordTransfers(tx, booked, undefined, lone)).map(
    ({ id, alreadyKnown }): PushedResult => ({ id, state: alreadyKnown ? 'already-known' : 'recorded' }),
  )
  const reversals = (await recordReversals(tx, reversed, lone !== null)).map(
    ({ transferId: id, alreadyKnown }): PushedResult => {
      if (alreadyKnown) return { id, state: 'already-known' }
      return { id, state: id === null ? 'waiting' : 'recorded' }
    },
  )
  await noteContact(tx, sourceId)
  // The results of each kind are in its own order.
  const results = { booked: transfers.values(), reversed: reversals.values() }
  const pending: PushedResult = { id: null, state: 'pending' }
  return pushed.map((each) => {
    if (each.status === 'pending') return pending
    return isBefore(each) ? { id: null, state: 'before-opening' } : (results[each.status].next().value ?? pending)
  })
}

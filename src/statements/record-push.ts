import type { Tx } from '../context.ts'
import { dedupeKey, type ReportedTransfer } from '../domain/transfer.ts'
import { sources } from './sources/sources.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'
import { reverseTransfers } from '../transfers/reversals/reverse-transfers.ts'

/** A transfer that a source pushes. Its reference makes a push that comes again change nothing. */
export type PushedTransfer = ReportedTransfer & {
  readonly bankReference: string
  readonly status: 'booked' | 'pending' | 'reversed'
}

/**
 * What became of a pushed transfer; `id` is that of the transfer, where it is known. `waiting` is a reversal of no known
 * transfer, or of one of several: it waits for an operator.
 */
export type PushedResult = {
  readonly id: string | null
  readonly state: 'recorded' | 'repeated' | 'waiting' | 'pending'
}

/**
 * Records what a source pushes, all or nothing, answering each at its place: what is booked is matched, what was reversed
 * is taken back, what is pending is passed over. Refuses `validation_failed`.
 */
export const recordPush = async (
  tx: Tx,
  sourceId: string,
  pushed: readonly PushedTransfer[],
): Promise<PushedResult[]> => {
  const results = new Map<PushedTransfer, PushedResult>()
  const booked = pushed.filter((each) => each.status === 'booked')
  const reversed = pushed.filter((each) => each.status === 'reversed')
  const recorded = await recordTransfers(tx, booked)
  const taken = await reverseTransfers(
    tx,
    reversed.map((each) => ({ ...each, dedupeKey: `reversal:${dedupeKey(each, 0)}` })),
  )
  booked.forEach((each, index) => {
    const { id = null, repeated = false } = recorded[index] ?? {}
    results.set(each, { id, state: repeated ? 'repeated' : 'recorded' })
  })
  reversed.forEach((each, index) => {
    const { transferId: id = null, repeated = false } = taken[index] ?? {}
    const done = id === null ? 'waiting' : 'recorded'
    results.set(each, { id, state: repeated ? 'repeated' : done })
  })
  await sources.touch(tx, sourceId)
  return pushed.map((each) => results.get(each) ?? { id: null, state: 'pending' })
}

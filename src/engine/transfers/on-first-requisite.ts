import type { Tx } from '../context.ts'
import { holdSharing } from '../requisites/bindings/binding.ts'

/** Moves reports to the first requisite of their account, whose requisites (`sharing`) stay so for the transaction. */
export const onFirstRequisite = async <T extends { readonly requisiteId: string }>(
  tx: Tx,
  reported: readonly T[],
): Promise<(T & { readonly sharing?: readonly string[] })[]> => {
  const accounts = await holdSharing(
    tx,
    reported.map((each) => each.requisiteId),
  )
  return reported.map((each) => {
    const sharing = accounts.get(each.requisiteId)
    return sharing?.[0] === undefined ? each : { ...each, requisiteId: sharing[0], sharing }
  })
}

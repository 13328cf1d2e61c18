import type { Tx } from '../context.ts'
import type { Candidate } from '../domain/candidate.ts'
import { insertPayerTransfers, listPayerNames } from './payer-names/store.ts'

const userKey = ({ merchantId, userId }: { readonly merchantId: string; readonly userId: string }): string =>
  JSON.stringify([merchantId, userId])

/**
 * Candidates with the names from which their users have paid before; users that the service made up have paid only
 * once.
 */
export const withPayerNames = async (tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> => {
  const given = candidates.map(({ payment }) => payment).filter((payment) => payment.userIdGiven)
  const users = new Map(
    given.map(({ merchantId, userId }) => [userKey({ merchantId, userId }), { merchantId, userId }]),
  )
  if (users.size === 0) return [...candidates]
  const rows = await tx.query(listPayerNames, { rows: [...users.values()] })
  const names = Map.groupBy(rows, userKey)
  return candidates.map((candidate) => {
    const own = candidate.payment.userIdGiven ? (names.get(userKey(candidate.payment)) ?? []) : []
    const payerNames = own.flatMap(({ senderNameSealed, transferId: row }) =>
      senderNameSealed === null
        ? []
        : [tx.vault.decrypt(senderNameSealed, { table: 'transfers', column: 'sender_name_sealed', row })],
    )
    return { ...candidate, payerNames }
  })
}

/** Records the sender names of paid payments, for later transfers of their users. */
export const notePayerNames = async (
  tx: Tx,
  paid: readonly {
    readonly requisiteId: string
    readonly transferId: string
    readonly merchantId: string
    readonly paymentId: string
  }[],
): Promise<void> => {
  if (paid.length > 0) await tx.query(insertPayerTransfers, { rows: paid })
}

import type { Tx } from '../../context.ts'
import {
  type Candidate,
  type IncomingTransfer,
  payerKeys,
  senderIndexesOf,
} from '../../../rules/transfers/candidate.ts'
import { openSealed } from '../sealed-transfers.ts'
import { listSendersOfPayments, listPaidBySenders, listPayerNames } from './store.ts'

const userKey = ({ merchantId, userId }: { readonly merchantId: string; readonly userId: string }): string =>
  JSON.stringify([merchantId, userId])

/** The names from which users have paid before; users that the service made up have paid only once. */
const readNamesOfUsers = async (tx: Tx, candidates: readonly Candidate[]): Promise<Map<string, string[]>> => {
  const given = candidates.map(({ payment }) => payment).filter((payment) => payment.userIdGiven)
  const users = new Map(
    given.map(({ merchantId, userId }) => [userKey({ merchantId, userId }), { merchantId, userId }]),
  )
  if (users.size === 0) return new Map()
  const rows = await tx.query(listPayerNames, { rows: [...users.values()] })
  return new Map(
    [...Map.groupBy(rows, userKey)].map(([key, own]) => [
      key,
      own.flatMap(
        ({ transferId, senderNameSealed }) => openSealed(tx, 'sender_name_sealed', transferId, senderNameSealed) ?? [],
      ),
    ]),
  )
}

const readSendersOfPayments = async (tx: Tx, candidates: readonly Candidate[]) => {
  const paid = candidates.filter(({ payment }) => payment.received > 0n)
  if (paid.length === 0) return new Map<string, never>()
  const rows = await tx.query(listSendersOfPayments, {
    rows: paid.map(({ payment: { merchantId, id: paymentId } }) => ({ merchantId, paymentId })),
  })
  return new Map(
    [...Map.groupBy(rows, ({ paymentId }) => paymentId)].map(([id, own]) => [
      id,
      {
        paidNames: own.flatMap(
          ({ transferId, senderNameSealed }) =>
            openSealed(tx, 'sender_name_sealed', transferId, senderNameSealed) ?? [],
        ),
        paidBanks: own.flatMap(({ senderBank }) => senderBank ?? []),
      },
    ]),
  )
}

/** Candidates with what is known of those who have paid for them and for their users. */
export const withPayerNames = async (tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> => {
  const ofUsers = await readNamesOfUsers(tx, candidates)
  const ofPayments = await readSendersOfPayments(tx, candidates)
  return candidates.map((candidate) => {
    const { payment } = candidate
    return {
      ...candidate,
      ...ofPayments.get(payment.id),
      payerNames: payment.userIdGiven ? (ofUsers.get(userKey(payment)) ?? []) : [],
    }
  })
}

type Sent = Pick<IncomingTransfer, 'senderIndex' | 'olderSenderIndexes'>

/** Transfers with the users and payments for which their senders' numbers have paid before. */
export const withPaidBefore = async <Transfer extends Sent>(
  tx: Tx,
  transfers: readonly Transfer[],
): Promise<(Transfer & Pick<IncomingTransfer, 'paidBefore'>)[]> => {
  const senderIndexes = [...new Set(transfers.flatMap(senderIndexesOf))]
  if (senderIndexes.length === 0) return [...transfers]
  const rows = Map.groupBy(await tx.query(listPaidBySenders, { senderIndexes }), (row) => row.senderIndex)
  return transfers.map((transfer) => {
    const paid = senderIndexesOf(transfer).flatMap((index) => rows.get(index) ?? [])
    if (paid.length === 0) return transfer
    // A user is known by money that it was credited with; money that still waits speaks for its payment alone.
    const paidBefore = new Set(
      paid.flatMap((row) => payerKeys({ ...row, userIdGiven: row.userIdGiven && row.isCredited })),
    )
    return { ...transfer, paidBefore }
  })
}

import type { Context } from '../../../context.ts'
import { compareAnnounced, hasPayerName, isPayeeOf } from '../../../../rules/transfers/announced.ts'
import type { IncomingTransfer } from '../../../../rules/transfers/candidate.ts'
import { noticeMs } from '../../../../rules/transfers/outgoing.ts'
import {
  isNamedIn,
  type OutgoingCandidate,
  type UnexplainedOutgoing,
} from '../../../../rules/transfers/propose-outgoing.ts'
import { suggestRefund } from '../../../../rules/transfers/refund-reversal.ts'
import type { Suggestion } from '../../../../rules/transfers/suggest.ts'
import { day } from '../../../../rules/time.ts'
import { listSharing } from '../../../requisites/read.ts'
import { openSealed } from '../../sealed-transfers.ts'
import { describeAnnounced } from './describe-announced.ts'
import { payeeDetails } from '../payee-details.ts'
import { listAnnounced } from '../store.ts'
import { listOwedAmounts, listReturnable, listSentRefunds } from './store.ts'

/** Money may be returned up to this long after it came. */
const returnableMs = 120 * day

type Comparing = Pick<Context, 'query' | 'vault'>

const listAnnouncedFor = async (
  sql: Comparing,
  outgoing: readonly UnexplainedOutgoing[],
): Promise<ReadonlyMap<string, readonly OutgoingCandidate[]>> => {
  const times = outgoing.map(({ bookedAt }) => bookedAt)
  const sharing = await listSharing(
    sql,
    outgoing.map(({ requisiteId }) => requisiteId),
  )
  const accountOf = ({ requisiteId }: UnexplainedOutgoing) => sharing.get(requisiteId) ?? [requisiteId]
  const announced = await sql.query(listAnnounced, {
    requisiteIds: [...new Set(outgoing.flatMap(accountOf))],
    amounts: [...new Set(outgoing.map(({ amount }) => amount))],
    since: Math.min(...times) - noticeMs,
    until: Math.max(...times) + noticeMs,
  })
  const details = await describeAnnounced(sql, announced)
  const toCandidate = (each: UnexplainedOutgoing, one: (typeof announced)[number]): OutgoingCandidate[] => {
    const { purpose, merchantId, paymentId, id: documentId } = one
    const known = details.get(documentId) ?? { payers: [], returnable: 0n, names: [], orderId: null }
    if (compareAnnounced(each, known) === 'contradicts') return []
    const bankReference = known.names.map(({ name }) => name).find(isNamedIn(each.text)) ?? null
    const { orderId } = known
    const evidence = { isPayee: isPayeeOf(each, known), isNamedPayee: hasPayerName(each, known), bankReference }
    return [{ purpose, merchantId, paymentId, orderId, documentId, transferId: null, ...evidence }]
  }
  return new Map(
    outgoing.map((each) => [
      each.id,
      announced
        .filter((one) => one.amount === each.amount && accountOf(each).includes(one.requisiteId))
        .filter((one) => Math.abs(one.bookedAt - each.bookedAt) <= noticeMs)
        .flatMap((one) => toCandidate(each, one)),
    ]),
  )
}

/** What unexplained outgoing transfers may have returned, by their ids: everything with the same amount. */
export const listCandidates = async (
  sql: Comparing,
  outgoing: readonly UnexplainedOutgoing[],
): Promise<ReadonlyMap<string, readonly OutgoingCandidate[]>> => {
  if (outgoing.length === 0) return new Map()
  // Equal ones, such as fees, have the same candidates, so these are read once.
  const groups = [
    ...Map.groupBy(outgoing, ({ requisiteId, currency, amount, payeeIndex, number, name }) =>
      JSON.stringify([requisiteId, currency, String(amount), payeeIndex, number, name]),
    ).values(),
  ]
  const rows = groups.flatMap((group) => {
    const times = group.map(({ bookedAt }) => bookedAt)
    const span = { since: Math.min(...times) - returnableMs, until: Math.max(...times) + day }
    return group.slice(0, 1).map((each) => ({ ...each, outgoingId: each.id, ...span }))
  })
  const announced = await listAnnouncedFor(sql, outgoing)
  const byId = new Map(outgoing.map((each) => [each.id, each]))
  const compared = <Row extends ReturnType<typeof listOwedAmounts.decode>>({ senders, ...row }: Row) => {
    const payers = senders.map(({ id, name }) => ({
      number: null,
      name: openSealed(sql, 'sender_name_sealed', id, name),
    }))
    const payee = byId.get(row.outgoingId)
    return { ...row, documentId: null, isNamedPayee: payee !== undefined && hasPayerName(payee, { payers }) }
  }
  const owed = (await sql.query(listOwedAmounts, { rows })).map(compared)
  const returnable = (await sql.query(listReturnable, { rows })).map(compared)
  const refunds = Map.groupBy(owed, (each) => each.outgoingId)
  const reversals = Map.groupBy(returnable, (each) => each.outgoingId)
  const candidatesOf = (each: UnexplainedOutgoing, like: string): OutgoingCandidate[] => [
    ...(announced.get(each.id) ?? []),
    ...(refunds.get(like) ?? []).map((one) => ({ ...one, purpose: 'refund' as const })),
    ...(reversals.get(like) ?? [])
      .filter(({ cameAt }) => cameAt !== null && Math.abs(each.bookedAt - cameAt) <= returnableMs)
      .map((one) => ({ ...one, purpose: 'reversal' as const })),
  ]
  return new Map(
    groups.flatMap((group) => group.map((each) => [each.id, candidatesOf(each, group[0]?.id ?? '')] as const)),
  )
}

/** A refund may come back up to this long after it left. */
export const reversibleMs = 120 * day

type Waiting = IncomingTransfer & { readonly id: string; readonly requisiteId: string }

/** Which refunds unclaimed transfers may be, with the evidence for each, by the id of the transfer. */
export const suggestRefunds = async (
  sql: Pick<Context, 'query' | 'vault'>,
  waiting: readonly Waiting[],
): Promise<ReadonlyMap<string, readonly Suggestion[]>> => {
  if (waiting.length === 0) return new Map()
  const rows = waiting.map(({ id: moneyId, requisiteId, amount, bookedAt }) => {
    return { moneyId, requisiteId, amount, since: bookedAt - reversibleMs, until: bookedAt }
  })
  const refunds = Map.groupBy(await sql.query(listSentRefunds, { rows }), (each) => each.moneyId)
  return new Map(
    waiting.map((transfer) => [
      transfer.id,
      (refunds.get(transfer.id) ?? []).flatMap(({ detailsSealed, ...refund }) => {
        const payeeName = payeeDetails(sql.vault, refund.id, detailsSealed).name
        return suggestRefund(transfer, { ...refund, payeeName }) ?? []
      }),
    ]),
  )
}

import type { Context } from '../../../context.ts'
import { letOthersRun } from '../../../let-others-run.ts'
import { compareAnnounced, hasPayerName, isPayeeOf } from '../../../../rules/transfers/announced.ts'
import type { IncomingTransfer } from '../../../../rules/transfers/candidate.ts'
import { noticeMs } from '../../../../rules/transfers/outgoing.ts'
import {
  isNamedIn,
  type OutgoingCandidate,
  type UnexplainedOutgoing,
} from '../../../../rules/transfers/propose-outgoing.ts'
import { indexNames } from '../../../../rules/values/payer-name.ts'
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

type Found = ReturnType<typeof listReturnable.decode>

/** What money of one amount may have returned: for each of its transfers, what its payee or text names. */
const namedAmong = (sql: Comparing, found: readonly Found[]) => {
  // Found by its amount and by the number of a payee, it is one candidate.
  const candidates = [...new Map(found.map((each) => [each.transferId ?? each.paymentId, each])).values()]
  const names = candidates.flatMap((each) =>
    each.senders.flatMap(({ id, name }) =>
      name === null ? [] : [[openSealed(sql, 'sender_name_sealed', id, name) ?? '', each] as const],
    ),
  )
  const findByName = indexNames(names)
  return async ({ bookedAt, payeeIndex, name, text }: UnexplainedOutgoing) => {
    await letOthersRun()
    const named = name === null ? undefined : findByName(name)
    const isNamed = isNamedIn(text)
    return candidates.flatMap((each) => {
      const { cameAt, senders, orderId, paymentId, bankReference } = each
      const isPayee = payeeIndex !== null && senders.some(({ index }) => index === payeeIndex)
      const isNamedPayee = named?.has(each) ?? false
      const isInTime = cameAt === null || Math.abs(bookedAt - cameAt) <= returnableMs
      const isMeant = isPayee || isNamedPayee || [orderId, paymentId, bankReference].some(isNamed)
      const { merchantId, transferId } = each
      const facts = { merchantId, paymentId, orderId, transferId, bankReference, documentId: null }
      return isInTime && isMeant ? [{ ...facts, isPayee, isNamedPayee }] : []
    })
  }
}

/**
 * What unexplained outgoing transfers may have returned, by their ids: what was recorded before with their amount, and
 * payments and transfers of their amount that their payee or text names.
 */
export const listCandidates = async (
  sql: Comparing,
  outgoing: readonly UnexplainedOutgoing[],
): Promise<ReadonlyMap<string, readonly OutgoingCandidate[]>> => {
  if (outgoing.length === 0) return new Map()
  const groups = [
    ...Map.groupBy(outgoing, ({ requisiteId, currency, amount }) => `${requisiteId} ${currency} ${amount}`).values(),
  ]
  const rows = groups.flatMap((equal, group) => {
    const times = equal.map(({ bookedAt }) => bookedAt)
    const span = { since: Math.min(...times) - returnableMs, until: Math.max(...times) + day }
    const payees = new Set([null, ...equal.map(({ payeeIndex }) => payeeIndex)])
    const [first] = equal
    return first === undefined
      ? []
      : [...payees].map((payeeIndex) => ({ ...first, groupNumber: group, payeeIndex, ...span }))
  })
  const announced = await listAnnouncedFor(sql, outgoing)
  const owed = Map.groupBy(await sql.query(listOwedAmounts, { rows }), (each) => each.groupNumber)
  const returnable = Map.groupBy(await sql.query(listReturnable, { rows }), (each) => each.groupNumber)
  const candidates = new Map<string, readonly OutgoingCandidate[]>()
  for (const [group, equal] of groups.entries()) {
    const refunds = namedAmong(sql, owed.get(group) ?? [])
    const reversals = namedAmong(sql, returnable.get(group) ?? [])
    for (const each of equal)
      candidates.set(each.id, [
        ...(announced.get(each.id) ?? []),
        ...(await refunds(each)).map((one) => ({ ...one, purpose: 'refund' as const })),
        ...(await reversals(each)).map((one) => ({ ...one, purpose: 'reversal' as const })),
      ])
  }
  return candidates
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

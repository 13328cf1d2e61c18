import { maskIfKnown } from '../../rules/values/masking.ts'
import type { Tx } from '../../engine/context.ts'
import { operatorChannel } from '../../rules/transfers/channel.ts'
import {
  countTransfers,
  listMatchingTransfers,
  type ListedTransferRow,
  type TransferFilter,
} from '../../engine/transfers/listing/read.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { type RecordedTransfer, recordTransfers } from '../../engine/transfers/record-transfers.ts'
import { refuseWithoutDuty } from './authenticate-operator.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { readReported } from '../routes/read-reported.ts'
import { readFilter, readListPage, toPageEnd } from '../routes/lists.ts'
import { type TransferFilterQuery, transfers } from '../../operations/transfers.ts'

const idsOf = ({ merchantId, paymentId }: { readonly merchantId: string | null; readonly paymentId: string | null }) =>
  merchantId === null || paymentId === null ? { merchantId: null, paymentId: null } : { merchantId, paymentId }

const toDecision = (row: Omit<RecordedTransfer, 'alreadyKnown' | 'parts'>) => ({
  ...{ id: row.id, requisiteId: row.requisiteId, outcome: row.outcome, kind: row.kind, ...idsOf(row) },
  ...{ reasons: row.reasons, duplicateOf: row.duplicateOf },
  suggestions: row.suggestions.map(({ split, amount, difference, ...suggestion }) => ({
    ...{ ...suggestion, amount: Number(amount), difference: Number(difference) },
    split: split?.map((share) => ({ ...share, amount: Number(share.amount) })),
  })),
})

const unlessZero = (amount: bigint): bigint | null => (amount === 0n ? null : amount)

/** A transfer as operators see it. */
export const toListedTransfer = (row: ListedTransferRow) => ({
  ...row,
  ...toDecision({ ...row, suggestions: row.suggestions ?? [] }),
  sender: maskIfKnown(row.senderMasked) || null,
  senderName: row.senderNameMasked,
  reversedAmount: unlessZero(row.reversedAmount),
  reportedBy: row.secondPerson ? row.reportedBy : null,
  unproven: row.unproven || null,
  parked:
    row.parkedAt === null || row.parkedBy === null
      ? null
      : { at: row.parkedAt, by: row.parkedBy, why: row.parkedBecause },
  parts: row.parts.map((part) => ({ ...part, ...idsOf(part), reversedAmount: unlessZero(part.reversedAmount) })),
})

const readTransferFilter = (query: TransferFilterQuery): TransferFilter => {
  const {
    unmatched,
    unproven,
    parked,
    mode = null,
    kind = null,
    sender = null,
    statementId = null,
    unusual = null,
  } = query
  const waiting = {
    unmatched: unmatched === 'true' || parked !== undefined,
    unproven: unproven === 'true',
    parked: parked === undefined ? null : parked === 'true',
  }
  return { ...readFilter(query), ...waiting, mode, kind, sender, statementId, unusual }
}

export const transferRoutes = bindOperations(transfers.operations, {
  record: async (context, request) => {
    const now = context.clock()
    const reported = readBody((read) =>
      request.body.transfers.map((transfer, index) => ({
        ...readReported(read, transfer, `transfers.${index}`, now),
        requisiteId: transfer.requisiteId,
        source: 'operator',
        channel: operatorChannel,
        referenceKind: 'operator',
        bankReference: transfer.bankReference ?? null,
      })),
    )
    const record = async (tx: Tx): Promise<RecordedTransfer[]> =>
      recordTransfers(tx, reported, undefined, await asLoneReport(context, tx, actorOf(request)))
    const recorded = await actOnBehalf(context, request, record, {
      action: 'transfers.record',
      subject: (rows) => (rows.length === 1 ? `transfer:${rows[0]?.id}` : 'transfers'),
      details: (rows) => ({
        transfers: rows.map(({ id, outcome, alreadyKnown }) => ({ id, outcome, alreadyKnown })),
      }),
    })
    return { transfers: recorded.map((row) => ({ ...toDecision(row), alreadyKnown: row.alreadyKnown })) }
  },
  list: async (context, request) => {
    const { query } = request
    // Who may only read would try all numbers that end with the digits shown.
    if (query.sender !== undefined) refuseWithoutDuty(request, 'reveal')
    const filter = readTransferFilter(query)
    const { sort = 'newest' } = query
    const [{ transfers: listed, ...end }, count] = await Promise.all([
      listMatchingTransfers(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countTransfers(context, filter),
    ])
    return { transfers: listed.map(toListedTransfer), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
})

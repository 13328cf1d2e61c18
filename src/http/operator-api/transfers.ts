import type { Tx } from '../../engine/context.ts'
import { operatorChannel } from '../../rules/transfers/channel.ts'
import type { Suggestion } from '../../rules/transfers/suggest.ts'
import { minute } from '../../rules/time.ts'
import {
  countTransfers,
  listMatchingTransfers,
  type ListedTransferRow,
  type TransferFilter,
} from '../../engine/transfers/listing/read.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import type { RecordedTransfer } from '../../engine/transfers/record-transfers.ts'
import { recordTyped } from '../../engine/transfers/record-typed.ts'
import { wire } from '../../operations/fields.ts'
import { refuseWithoutDuty } from './authenticate-operator.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { readBody } from '../routes/read-body.ts'
import { readFilter, readListPage, readSort, toPageEnd } from '../routes/lists.ts'
import { type ListedTransfer, type TransferFilterQuery, transfers } from '../../operations/transfers.ts'

/** A bank's clock may run this far ahead of ours. */
export const maxAheadMs = 5 * minute

const idsOf = ({ merchantId, paymentId }: { readonly merchantId: string | null; readonly paymentId: string | null }) =>
  merchantId === null || paymentId === null ? {} : { merchantId, paymentId }

const toWireSuggestion = ({ split, amount, difference, ...suggestion }: Suggestion) =>
  wire.fields({
    ...suggestion,
    amount: Number(amount),
    difference: Number(difference),
    split: split?.map((share) => ({ ...share, amount: Number(share.amount) })) ?? null,
  })

const toDecision = (row: Omit<RecordedTransfer, 'alreadyKnown' | 'parts'>) => ({
  ...{ id: row.id, requisiteId: row.requisiteId, outcome: row.outcome, kind: row.kind },
  ...idsOf(row),
  reasons: [...row.reasons],
  ...(row.duplicateOf === null ? {} : { duplicateOf: row.duplicateOf }),
  suggestions: row.suggestions.map(toWireSuggestion),
})

/** The wire form of a transfer. */
export const toListedTransfer = (row: ListedTransferRow): ListedTransfer =>
  wire.fields({
    ...toDecision({ ...row, suggestions: row.suggestions ?? [] }),
    ...{ currency: row.currency, source: row.source, bankReference: row.bankReference },
    ...{ bookedAt: row.bookedAt, bookedOn: row.bookedOn, recordedAt: row.recordedAt, reversedAt: row.reversedAt },
    amount: wire.amount(row.amount, row.currency),
    sender: row.senderMasked === '' ? null : row.senderMasked,
    senderName: row.senderNameMasked,
    reversedAmount: row.reversedAmount === 0n ? null : wire.amount(row.reversedAmount, row.currency),
    reportedBy: row.secondPerson ? row.reportedBy : null,
    parked:
      row.parkedAt === null || row.parkedBy === null
        ? null
        : wire.fields({ at: wire.time(row.parkedAt), by: row.parkedBy, why: row.parkedBecause }),
    parts: row.parts.map(({ kind, outcome, by, note, ...part }) =>
      wire.fields({
        ...{ kind, outcome, by, note, ...idsOf(part) },
        amount: wire.amount(part.amount, row.currency),
        reversedAmount: part.reversedAmount === 0n ? null : wire.amount(part.reversedAmount, row.currency),
      }),
    ),
  })

const readTransferFilter = (query: TransferFilterQuery): TransferFilter => {
  const { unmatched, parked, kind = null, sender = null, statementId = null, unusual = null } = query
  const waiting = {
    unmatched: unmatched === 'true' || parked !== undefined,
    parked: parked === undefined ? null : parked === 'true',
  }
  return { ...readFilter(query), ...waiting, kind, sender, statementId, unusual }
}

export const transferRoutes = bindNoun(transfers, {
  record: async (context, request) => {
    const latest = context.clock() + maxAheadMs
    const reported = readBody((read) =>
      request.body.transfers.map((transfer, index) => {
        const field = `transfers.${index}`
        const bookedAt = read.instant(transfer.bookedAt, `${field}.bookedAt`)
        if (bookedAt > latest) read.wrong(`${field}.bookedAt`, 'is in the future.')
        return {
          requisiteId: transfer.requisiteId,
          currency: transfer.currency,
          amount: read.amount(transfer, 'amount', transfer.currency, `${field}.amount`),
          bookedAt,
          source: 'operator',
          channel: operatorChannel,
          referenceKind: 'operator',
          bankReference: transfer.bankReference ?? null,
          sender: transfer.sender ?? null,
          senderName: transfer.senderName ?? null,
          senderBank: transfer.senderBank ?? null,
          text: transfer.text ?? null,
        }
      }),
    )
    const record = async (tx: Tx): Promise<RecordedTransfer[]> =>
      recordTyped(tx, reported, await asLoneReport(context, tx, actorOf(request)))
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
    const sort = readSort(query, 'newest')
    const [{ transfers: listed, ...end }, count] = await Promise.all([
      listMatchingTransfers(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countTransfers(context, filter),
    ])
    return { transfers: listed.map(toListedTransfer), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
})

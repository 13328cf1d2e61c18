import { array, bigint, boolean, byTime, listQueries, nullable, scanText, text, uuid } from 'payin-database'
import { hasPart, hasPartOfKind } from '../store.ts'

const filter = {
  unmatched: boolean,
  unproven: boolean,
  parked: nullable(boolean),
  kind: nullable(text),
  merchantId: nullable(uuid),
  requisiteIds: nullable(array(uuid)),
  currency: nullable(text),
  amountFrom: nullable(bigint),
  amountTo: nullable(bigint),
  senderIndexes: nullable(array(text)),
  statementId: nullable(uuid),
  unusual: nullable(text),
}

const waits = `exists (select from suspense_cases as waiting where waiting.requisite_id = transfers.requisite_id
            and waiting.transfer_id = transfers.id and waiting.resolved_at is null)`

const isOnStatement = `exists (select from statement_rows as brought where brought.requisite_id = transfers.requisite_id
            and brought.transfer_id = transfers.id and brought.kind = 'booked' and brought.statement_id = :statementId)`

const isInDispute = `exists (select from payments where payments.merchant_id = parts.merchant_id
            and payments.id = parts.payment_id and payments.status in ('disput', 'disput-paid'))`

const isParked = `exists (select from suspense_cases as waiting where waiting.requisite_id = transfers.requisite_id
            and waiting.transfer_id = transfers.id and waiting.resolved_at is null and waiting.parked_at is not null)`

const matches = `(not :unmatched or ${waits})
          and (not :unproven or transfers.unproven and ${hasPartOfKind(`in ('payment', 'overpayment')`)})
          and (:parked is null or :parked = ${isParked})
          and (:kind is null or ${hasPartOfKind('= :kind')})
          and (:merchantId is null
            or exists (select from requisites where requisites.id = transfers.requisite_id
              and requisites.merchant_id = :merchantId)
            or ${hasPart('parts.merchant_id = :merchantId')})
          and (:requisiteIds is null or transfers.requisite_id = any(:requisiteIds))
          and (:currency is null or transfers.currency = :currency)
          and (:amountFrom is null or transfers.amount >= :amountFrom)
          and (:amountTo is null or transfers.amount <= :amountTo)
          and (:senderIndexes is null or transfers.sender_index = any(:senderIndexes))
          and (:statementId is null or ${isOnStatement})
          and case :unusual
            when 'amount' then ${hasPart(`parts.outcome in ('under', 'over')`)}
            when 'late' then ${hasPart(`parts.outcome = 'late'`)}
            when 'paid-again' then ${hasPart(`parts.outcome = 'paid-again'`)}
            when 'disputed' then ${hasPart(isInDispute)}
            when 'duplicate' then transfers.duplicate_of is not null and ${hasPartOfKind(`in ('suspense', 'duplicate')`)}
            else true end`

const anyOwner = '(select null::uuid as id)'
const ownTransfer = (table: string): string =>
  `join transfers on transfers.requisite_id = ${table}.requisite_id and transfers.id = ${table}.transfer_id`

/** Sources of transfers in id order: all requisites, or a few transfers found by an index. */
const sources = {
  all: {
    owners: '(select id from requisites where :requisiteIds is null or id = any(:requisiteIds))',
    rows: 'transfers',
    owner: 'transfers.requisite_id',
    id: 'transfers.id',
    where: 'transfers.requisite_id = owner.id',
    matches,
  },
  inbox: {
    owners: anyOwner,
    rows: `suspense_cases as cases ${ownTransfer('cases')}`,
    owner: 'cases.requisite_id',
    id: 'cases.transfer_id',
    where: 'cases.resolved_at is null',
    matches,
  },
  unproven: {
    owners: anyOwner,
    rows: 'transfers',
    owner: 'transfers.requisite_id',
    id: 'transfers.id',
    where: 'transfers.unproven',
    matches,
  },
  statement: {
    owners: anyOwner,
    rows: `(select distinct requisite_id, transfer_id from statement_rows
          where statement_id = :statementId and kind = 'booked' and transfer_id is not null) as reported
          ${ownTransfer('reported')}`,
    owner: 'reported.requisite_id',
    id: 'reported.transfer_id',
    where: 'true',
    matches,
  },
  sender: {
    owners: anyOwner,
    rows: 'transfers',
    owner: 'transfers.requisite_id',
    id: 'transfers.id',
    where: 'transfers.sender_index = any(:senderIndexes)',
    matches,
  },
}

export type TransferSource = keyof typeof sources

const { scan, count } = listQueries(filter)

const bySource = <T>(make: (source: TransferSource) => T): Readonly<Record<TransferSource, T>> => ({
  all: make('all'),
  inbox: make('inbox'),
  unproven: make('unproven'),
  statement: make('statement'),
  sender: make('sender'),
})

export const scanTransfers = bySource((source) => ({
  newest: scan(`list_newest_transfers_of_${source}`, scanText(sources[source], byTime('newest'))),
  oldest: scan(`list_oldest_transfers_of_${source}`, scanText(sources[source], byTime('oldest'))),
}))

export const countMatching = bySource((source) => count(`count_transfers_of_${source}`, sources[source]))

import { withServiceBooks } from '../invariant.ts'
import { bigint, instant, query, text, uuid } from 'payin-database'

const books = `(select id from merchants ${withServiceBooks}) as books`

/** The rows of a table with ids from `:sinceId` on, one index range per owner. */
const recent = (table: string, columns: string, owners = 'merchants', owner = 'merchant_id', where = ''): string =>
  `select recent.* from ${owners} cross join lateral (select ${columns} from ${table}
    where ${table}.${owner} = ${owners.split(' ').at(-1)}.id and ${table}.id >= :sinceId ${where}) as recent`

/** Payments that are open or have changed since a time. */
export const listChangedPayments = query('list_changed_payments', {
  planned: 'whole',
  parameters: { sinceId: uuid, since: instant },
  row: { ownerId: uuid, id: uuid },
  text: `select distinct merchant_id as owner_id, payment_id as id from (
      ${recent('payments', 'merchant_id, id as payment_id')}
      union all ${recent('outbox', 'merchant_id, payment_id')}
      union all ${recent('ledger_postings', 'merchant_id, payment_id', books)}
      union all ${recent('disputes', 'merchant_id, payment_id')}
      union all ${recent('overpayment_decisions', 'merchant_id, payment_id')}
      union all ${recent('refunds', 'merchant_id, payment_id')}
      union all select merchant_id, payment_id from refunds where status in ('requested', 'approved', 'sent')
      union all select merchant_id, payment_id from outgoing_transfers where id >= :sinceId
      union all select merchant_id, payment_id from risk_decisions where id >= :sinceId
      union all select merchant_id, payment_id from disputes where decided_at is null
      union all select merchant_id, payment_id from payment_acknowledgements where acknowledged_at >= :since
      union all select merchant_id, id from payments where due_at is not null
      union all select merchant_id, id from payments where status in ('new', 'processing')
      union all select merchant_id, id from payments where status = 'disput'
    ) as changes where payment_id is not null`,
})

/** Documents, such as settlements and outgoing transfers, that are new or have postings since a time. */
export const listChangedDocuments = query('list_changed_documents', {
  planned: 'whole',
  parameters: { sinceId: uuid },
  row: { ownerId: uuid, id: uuid },
  text: `select distinct merchant_id as owner_id, document_id as id from (
      ${recent('ledger_postings', 'merchant_id, document_id', books)}
      union all ${recent('ledger_adjustments', 'merchant_id, id as document_id', books)}
      union all ${recent('settlements', 'merchant_id, id as document_id')}
      union all select books.id, outgoing.id from outgoing_transfers as outgoing
        cross join (select null::uuid where false ${withServiceBooks}) as books (id) where outgoing.id >= :sinceId
    ) as changes where document_id is not null`,
})

/** Transfers that are new, or have decisions or postings since a time. */
export const listChangedTransfers = query('list_changed_transfers', {
  planned: 'whole',
  parameters: { sinceId: uuid, since: instant },
  row: { ownerId: uuid, id: uuid },
  text: `select distinct requisite_id as owner_id, transfer_id as id from (
      ${recent('transfers', 'requisite_id, id as transfer_id', 'requisites', 'requisite_id')}
      union all ${recent('transfer_reversals', 'requisite_id, transfer_id', 'requisites', 'requisite_id')}
      union all select results.owner_id, results.id from decisions
        join decision_results as results on results.decision_id = decisions.id
        where decisions.about = 'transfer' and decisions.decided_at >= :since
      -- Of money without a payment, a posting names the transfer and not its requisite.
      union all select transfers.requisite_id, transfers.id from (
          select distinct transfer_id from (${recent('ledger_postings', 'transfer_id', books, 'merchant_id', 'and payment_id is null')})
            as posted where transfer_id < :sinceId
          union select document_id from outgoing_transfers where id >= :sinceId and purpose = 'own-account'
        ) as named cross join requisites
        join transfers on transfers.requisite_id = requisites.id and transfers.id = named.transfer_id
    ) as changes where transfer_id is not null`,
})

/** The transfers that have, or had, a part in these payments. */
export const listTransfersOfPayments = query('list_transfers_of_payments', {
  planned: 'whole',
  rows: { ownerId: uuid, id: uuid },
  row: { ownerId: uuid, id: uuid },
  text: `select distinct parts.requisite_id as owner_id, parts.transfer_id as id from :rows
    join transfer_parts as parts on parts.merchant_id = input.owner_id and parts.payment_id = input.id`,
})

/** The payments in which these transfers have, or had, a part. */
export const listPaymentsOfTransfers = query('list_payments_of_transfers', {
  planned: 'whole',
  rows: { ownerId: uuid, id: uuid },
  row: { ownerId: uuid, id: uuid },
  text: `select distinct payments.merchant_id as owner_id, payments.id from :rows
    join transfer_parts as parts on parts.requisite_id = input.owner_id and parts.transfer_id = input.id
    join payments on payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id`,
})

/** The time up to which everything was verified. */
export const findVerified = query('find_verified', {
  row: { until: instant, auditSequence: bigint, auditHash: text },
  text: 'select until, audit_sequence, audit_hash from verified_history',
})

/** The last position of each merchant. */
export const listEventCounters = query('list_event_counters', {
  row: { merchantId: uuid, position: bigint },
  text: 'select merchant_id, position from event_counters',
})

/** The time up to which everything was verified, locked. */
export const lockVerified = query('lock_verified', {
  row: { until: instant },
  text: 'select until from verified_history for update',
})

/** Stores the time up to which everything was verified. */
export const saveVerified = query('save_verified', {
  parameters: { until: instant, untilId: uuid, checkedAt: instant, auditSequence: bigint, auditHash: text },
  text: `insert into verified_history (:fields) values (:values)
    on conflict (one) do update set until = excluded.until, until_id = excluded.until_id,
      checked_at = excluded.checked_at, audit_sequence = excluded.audit_sequence, audit_hash = excluded.audit_hash`,
})

/** Called before all sums are recomputed. */
export const forgetVerifiedBalances = query('forget_verified_balances', { text: 'delete from verified_balances' })

/** Adds the postings in an id span to the verified sums. */
export const addVerifiedBalances = query('add_verified_balances', {
  planned: 'whole',
  parameters: { fromId: uuid, untilId: uuid },
  text: `insert into verified_balances (merchant_id, account, currency, balance)
    select merchant_id, account, currency, sum(amount) from (
      select merchant_id, debit_account as account, currency, amount from ledger_postings
        where id >= :fromId and id < :untilId and merchant_id in (select id from ${books})
      union all select merchant_id, credit_account, currency, -amount from ledger_postings
        where id >= :fromId and id < :untilId and merchant_id in (select id from ${books})
    ) as sides group by merchant_id, account, currency
    on conflict (merchant_id, account, currency) do update set balance = verified_balances.balance + excluded.balance`,
})

/** Stores the position up to which each merchant's events are verified. */
export const saveVerifiedPositions = query('save_verified_positions', {
  rows: { merchantId: uuid, position: bigint },
  text: `insert into verified_positions (merchant_id, position) select merchant_id, position from :rows
    on conflict (merchant_id) do update set position = excluded.position`,
})

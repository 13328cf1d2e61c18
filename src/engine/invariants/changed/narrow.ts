// A check of changes only reads less: each table with a row per payment, transfer or document is replaced, under its
// own name, by the rows of those that have changed. The invariant's query stays the same.

/**
 * The rows of a table for each row of a set. `offset 0` makes PostgreSQL look them up row by row, and estimate as many.
 * For a join it would estimate hardly any, because it has no statistics about the set.
 */
export const lookUp = (table: string, set: string, condition: string): string =>
  `select ${table}.* from ${set} cross join lateral (select * from ${table} where ${condition} offset 0) as ${table}`

const byPayment = (table: string, id = 'payment_id', where = ''): string =>
  lookUp(
    table,
    'changed_payments',
    `${table}.merchant_id = changed_payments.merchant_id and ${table}.${id} = changed_payments.payment_id ${where}`,
  )

/** The rows of the changed transfers. */
export const byTransfer = (table: string, id = 'transfer_id'): string =>
  lookUp(
    table,
    'changed_transfers',
    `${table}.requisite_id = changed_transfers.requisite_id and ${table}.${id} = changed_transfers.transfer_id`,
  )

const byDocument = (table: string, id = 'id', where = ''): string =>
  lookUp(
    table,
    'changed_documents',
    `${table}.merchant_id = changed_documents.merchant_id and ${table}.${id} = changed_documents.document_id ${where}`,
  )

const byDispute = (table: string): string =>
  lookUp(
    table,
    `(${byPayment('disputes')}) as mine`,
    `${table}.merchant_id = mine.merchant_id and ${table}.dispute_id = mine.id`,
  )

const changedPayments = `(${byPayment('payments', 'id')}) as mine`

// The order of conditions leaves the planner one index for each part. With old statistics it once read all notifications
// of the merchant for each payment.
const outbox = `select its.* from changed_payments cross join lateral (select * from outbox
    where outbox.payment_id = changed_payments.payment_id offset 0) as its
    where its.merchant_id = changed_payments.merchant_id
  union all select recent.* from merchants cross join lateral (select outbox.* from outbox
    where outbox.merchant_id = merchants.id and outbox.id >= :earlierId and outbox.payment_id is null
      and (outbox.document_id is null or outbox.document_id in (select document_id from changed_documents)) offset 0) as recent`

/**
 * The rows of the changed payments, transfers and documents of a table, by its name. An entry that reads another of
 * these tables comes before that table's own: after it, the name would mean the narrowed table, which has no index.
 */
const narrowed: Readonly<Record<string, string>> = {
  slots: lookUp(
    'slots',
    changedPayments,
    'slots.requisite_id = mine.requisite_id and slots.amount = mine.amount and slots.payment_id = mine.id',
  ),
  past_slots: `select past_slots.* from requisites join past_slots on past_slots.requisite_id = requisites.id
    where past_slots.held_until >= :since`,
  payment_link_uses: lookUp(
    'payment_link_uses',
    changedPayments,
    'payment_link_uses.link_id = mine.link_id and payment_link_uses.order_id = mine.order_id',
  ),
  dispute_events: byDispute('dispute_events'),
  dispute_evidence: byDispute('dispute_evidence'),
  deliveries: lookUp(
    'deliveries',
    `(${outbox}) as events join notification_endpoints as receivers using (merchant_id)`,
    `deliveries.merchant_id = events.merchant_id and deliveries.endpoint_id = receivers.id
        and deliveries.position = events.position`,
  ),
  payments: byPayment('payments', 'id'),
  payment_events: byPayment('payment_events'),
  payment_acknowledgements: byPayment('payment_acknowledgements'),
  disputes: byPayment('disputes'),
  risk_decisions: byPayment('risk_decisions'),
  simulated_steps: byPayment('simulated_steps'),
  simulated_bookings: byPayment('simulated_bookings'),
  transfers: byTransfer('transfers', 'id'),
  transfer_parts: byTransfer('transfer_parts'),
  transfer_reversals: byTransfer('transfer_reversals'),
  statement_rows: `${byTransfer('statement_rows')} union select statement_rows.* from statements
    join statement_rows on statement_rows.statement_id = statements.id where statements.imported_at >= :since`,
  overpayment_decisions: byPayment('overpayment_decisions'),
  outgoing_transfers: lookUp(
    'outgoing_transfers',
    'changed_documents',
    'outgoing_transfers.id = changed_documents.document_id',
  ),
  ledger_postings: `${byPayment('ledger_postings', 'payment_id', 'and ledger_postings.payment_id is not null')}
    union ${lookUp('ledger_postings', 'changed_transfers', 'ledger_postings.transfer_id = changed_transfers.transfer_id and ledger_postings.payment_id is null')}
    union ${byDocument('ledger_postings', 'document_id', 'and ledger_postings.document_id is not null')}`,
  ledger_adjustments: byDocument('ledger_adjustments'),
  settlements: byDocument('settlements'),
  settlement_events: byDocument('settlement_events', 'settlement_id'),
  refunds: byPayment('refunds'),
  refund_events: lookUp(
    'refund_events',
    `(${byPayment('refunds')}) as mine`,
    'refund_events.merchant_id = mine.merchant_id and refund_events.refund_id = mine.id',
  ),
  outbox,
}

/** How a check of changes differs from the check of everything. */
export type Narrowing = {
  /** Tables that it reads whole, because it looks up few rows by key, or because they keep no history. */
  readonly whole?: readonly string[]
  /** Queries that select the few rows it reads of other tables. */
  readonly rows?: Readonly<Record<string, string>>
  /** Another query, if it compares with what was verified before. */
  readonly by?: string
}

const sets = {
  changed_payments: 'unnest(:paymentMerchants, :paymentIds) as each (merchant_id, payment_id)',
  changed_transfers: 'unnest(:transferRequisites, :transferIds) as each (requisite_id, transfer_id)',
  changed_documents: 'unnest(:documentBooks, :documentIds) as each (merchant_id, document_id)',
}

/** The `with` clause that restricts a query about all rows to the changed ones; empty if it reads none of them. */
export const narrow = (select: string, { whole = [], rows = {}, by }: Narrowing): string => {
  const tables = Object.entries(by === undefined ? { ...narrowed, ...rows } : {}).filter(
    ([table]) => !whole.includes(table) && new RegExp(`\\b(?:from|join) ${table}\\b`).test(select),
  )
  const parts = tables.map(([table, narrower]) => `${table} as materialized (${narrower})`)
  const used = Object.entries(sets).filter(
    ([name]) => parts.some((part) => part.includes(name)) || select.includes(name),
  )
  const all = [...used.map(([name, from]) => `${name} as materialized (select * from ${from})`), ...parts]
  return all.length === 0 ? '' : `with ${all.join(',\n')}\n`
}

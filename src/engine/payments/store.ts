import {
  bigint,
  boolean,
  byName,
  columnsOf,
  instant,
  integer,
  jsonb,
  jsonbWithAmounts,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import { type LockedTerms, termAmounts } from '../../rules/merchants/merchant.ts'
import type { PaymentMethod, TransferScope } from '../../rules/values/payment-method.ts'
import type { Metadata, PaymentStatus, PaymentType, StatusReason, Trigger } from '../../rules/payments/payment.ts'
import type { Windows } from '../../rules/requisites/requisite.ts'

/** Terms as they are stored. */
export const lockedTerms = jsonbWithAmounts<LockedTerms>([...termAmounts, 'minMinor', 'maxMinor'])

/** The columns that a payment is created with. */
export const created = {
  merchantId: uuid,
  id: uuid,
  orderId: text,
  type: word<PaymentType>(),
  method: word<PaymentMethod>(),
  sbpEnabled: boolean,
  bankIssuer: nullable(text),
  transferScope: nullable(word<TransferScope>()),
  userId: text,
  userIdGiven: boolean,
  returnUrl: nullable(text),
  locale: nullable(text),
  metadata: nullable(jsonb<Metadata>()),
  linkId: nullable(uuid),
  currency: text,
  amount: bigint,
  quoteCurrency: text,
  ratePrice: bigint,
  rateCreatedAt: instant,
  total: bigint,
  requisiteId: uuid,
  requisiteShown: boolean,
  sharesSlot: boolean,
  createdAt: instant,
  expiredAt: instant,
}

/** The columns that every change of a payment writes. */
const changing = {
  status: word<PaymentStatus>(),
  statusReason: word<StatusReason>(),
  sequence: integer,
  received: bigint,
  finalAmount: nullable(bigint),
  lockedPart: nullable(bigint),
  laterPrice: nullable(bigint),
  sourcePan: text,
  claimedAt: nullable(instant),
  changedAt: instant,
}

const paymentRow = {
  ...created,
  ...changing,
  terms: lockedTerms,
  switchedFrom: nullable(uuid),
  payerBank: nullable(text),
  isPayerNamed: boolean,
  payerChanges: integer,
  acknowledgedAt: nullable(instant),
  receiptAt: nullable(instant),
  claimReceivedAt: nullable(instant),
}

/** A payment's own terms override those that it shares with others. */
const termsOfPayment = `case when payments.terms_id is null then payments.terms else (
    select locked_terms.terms || coalesce(payments.terms, '{}') from locked_terms
    where locked_terms.id = payments.terms_id) end as terms`
const paymentColumns = columnsOf(paymentRow, 'payments')
  .replace('payments.terms', termsOfPayment)
  .replace('payments.is_payer_named', 'payments.payer_name_sealed is not null as is_payer_named')

const paymentKeys = { merchantId: uuid, paymentId: uuid }
const orderKeys = { merchantId: uuid, orderId: text }

export const listPaymentsByOrder = query('list_payments_by_order', {
  rows: orderKeys,
  row: paymentRow,
  text: `select ${paymentColumns} from :rows
    join payments on payments.merchant_id = input.merchant_id and payments.order_id = input.order_id`,
})

const stateColumns = {
  ...{ id: uuid, status: word<PaymentStatus>(), sequence: integer },
  ...{ amount: bigint, finalAmount: nullable(bigint), currency: text },
}

export const listStatesByOrder = query('list_states_by_order', {
  rows: orderKeys,
  row: { ordinal: integer, ...stateColumns },
  text: `select input.ordinal::integer, ${columnsOf(stateColumns, 'payments')}
    from :numberedRows join payments using (merchant_id, order_id)`,
})

/** Payments by their ids; in no order. */
export const listPaymentsById = query('list_payments_by_id', {
  rows: paymentKeys,
  row: paymentRow,
  text: `select ${paymentColumns} from :rows
    join payments on payments.merchant_id = input.merchant_id and payments.id = input.payment_id`,
})

const withPayer = { ...paymentRow, payerPhoneIndex: nullable(text), payerNameSealed: nullable(text) }
const payerColumns = `${paymentColumns}, payments.payer_phone_index, payments.payer_name_sealed`

/** Payments by their ids, with the blind index of their payer's phone and the name that the payer has given. */
export const listPaymentsWithPayers = query('list_payments_with_payers', {
  rows: paymentKeys,
  row: withPayer,
  text: `select ${payerColumns} from payments
    where (merchant_id, id) in (select :columns from :rows)`,
})

export const lockPayments = query('lock_payments', {
  rows: paymentKeys,
  row: withPayer,
  // Excludes every other change of these payments until the transaction ends; always locks in key order.
  text: `select ${payerColumns} from payments
    where (merchant_id, id) in (select :columns from :rows)
    order by merchant_id, id for update`,
})

export const countOpenPayments = query('count_open_payments', {
  parameters: { merchantId: uuid },
  row: { open: integer, endsAt: nullable(instant) },
  text: `select count(*)::integer as open, min(due_at) as ends_at from payments
    where merchant_id = :merchantId and due_at is not null and status in ('new', 'processing')`,
})

export const findDuePayment = query('find_due_payment', {
  parameters: { now: instant },
  row: { paymentId: uuid },
  text: `select id as payment_id from payments where due_at <= :now order by due_at limit 1`,
})

export const listDuePayments = query('list_due_payments', {
  parameters: { now: instant, limit: integer },
  row: paymentKeys,
  // Locks what it returns until the transaction ends; skips rows that another worker has locked.
  text: `select merchant_id, id as payment_id from payments where due_at <= :now order by due_at limit :limit for update skip locked`,
})

/** Writes the fields of payments that may change; a new status waits for a new acknowledgement. */
export const updatePayments = query('update_payments', {
  rows: {
    merchantId: uuid,
    id: uuid,
    ...changing,
    dueAt: nullable(instant),
    remindAt: nullable(instant),
    hasNewStatus: boolean,
  },
  text: `update payments set (${columnsOf(changing)}) = (${columnsOf(changing, 'input')}), due_at = input.due_at,
      -- One that opens again, by money that was assigned to it, shares its requisite with those that got it meanwhile.
      sole_requisite_id = case when payments.status in ('new', 'processing') then payments.sole_requisite_id end,
      remind_at = case when input.has_new_status then input.remind_at else payments.remind_at end,
      reminders = case when not input.has_new_status then payments.reminders end,
      acknowledged_at = case when input.has_new_status then null else payments.acknowledged_at end,
      acknowledged_sequence = case when input.has_new_status then null else payments.acknowledged_sequence end
    from :rows where payments.merchant_id = input.merchant_id and payments.id = input.id`,
})

export const shortenPayment = query('shorten_payment', {
  parameters: { merchantId: uuid, id: uuid, now: instant },
  // One millisecond back, so that money booked from now on is late.
  text: `update payments set expired_at = greatest(created_at, least(expired_at, :now - interval '1 millisecond')),
      claimed_at = null, terms = coalesce(terms, '{}') || '{"graceMs": 0, "confirmDeadlineMs": 0}'::jsonb
    where merchant_id = :merchantId and id = :id and status in ('new', 'processing', 'expired')`,
})

/** The windows of a payment that has moved to another requisite; `null` if they stay. */
const movedWindows = nullable(jsonb<Windows>())
const termsWithWindows = `coalesce(coalesce(terms, '{}') || :windows, terms)`

/** Writes a payer's details, how often they were changed, and the requisite shown to the payer. */
export const updatePayer = query('update_payer', {
  parameters: {
    merchantId: uuid,
    id: uuid,
    ...{ phoneSealed: text, phoneIndex: text, sourcePan: text, payerBank: nullable(text), nameSealed: nullable(text) },
    ...{
      requisiteId: uuid,
      requisiteShown: boolean,
      sharesSlot: boolean,
      windows: movedWindows,
      payerChanges: integer,
    },
  },
  text: `update payments set payer_phone_sealed = :phoneSealed, payer_phone_index = :phoneIndex,
      payer_name_sealed = coalesce(:nameSealed, payer_name_sealed), payer_changes = :payerChanges,
      source_pan = :sourcePan, payer_bank = :payerBank, requisite_id = :requisiteId, requisite_shown = :requisiteShown,
      shares_slot = :sharesSlot, sole_requisite_id = case when requisite_id = :requisiteId then sole_requisite_id end, terms = ${termsWithWindows}
    where merchant_id = :merchantId and id = :id`,
})

export const showRequisites = query('show_payment_requisites', {
  rows: paymentKeys,
  text: `update payments set requisite_shown = true
    where (merchant_id, id) in (select :columns from :rows)`,
})

/** Replaces the requisite that the page shows with one of another method; the payer has seen the former one. */
export const updateRequisite = query('update_payment_requisite', {
  parameters: {
    ...{ merchantId: uuid, id: uuid, requisiteId: uuid, switchedFrom: uuid },
    ...{ sharesSlot: boolean, windows: movedWindows },
  },
  text: `update payments set requisite_id = :requisiteId, switched_from = :switchedFrom, sole_requisite_id = null,
      shares_slot = :sharesSlot, terms = ${termsWithWindows}
    where merchant_id = :merchantId and id = :id`,
})

export const updateProof = query('update_payment_proof', {
  parameters: { merchantId: uuid, id: uuid, receiptAt: nullable(instant), claimReceivedAt: nullable(instant) },
  text: `update payments set receipt_at = coalesce(:receiptAt, receipt_at),
      claim_received_at = coalesce(claim_received_at, :claimReceivedAt)
    where merchant_id = :merchantId and id = :id`,
})

const eventRow = {
  paymentId: uuid,
  sequence: integer,
  status: word<PaymentStatus>(),
  statusReason: word<StatusReason>(),
  trigger: word<Trigger>(),
  actor: text,
  at: instant,
}

export const insertEvents = table('payment_events', {}).insertAll('insert_payment_events', {
  merchantId: uuid,
  ...eventRow,
})

export const selectPaymentEvents = table('payment_events', { merchantId: uuid, paymentId: uuid }).select(
  'list_payment_events',
  eventRow,
  'order by sequence',
)

/** Marks credited payments as acknowledged, each once per credit. */
export const markAcknowledged = query('acknowledge_payments', {
  parameters: { now: instant },
  rows: { merchantId: uuid, id: uuid, sequence: integer },
  row: { merchantId: uuid, id: uuid, acknowledgedAt: instant },
  // Of two concurrent acknowledgements, the second waits for the row, then finds it acknowledged and changes nothing.
  text: `with done as (
      update payments set acknowledged_at = greatest(:now, changed_at), acknowledged_sequence = input.sequence,
        remind_at = null, reminders = null
      from :rows where payments.merchant_id = input.merchant_id and payments.id = input.id
        and payments.sequence = input.sequence and payments.acknowledged_at is null
        and payments.status in ('paid', 'disput-paid')
      returning payments.merchant_id, payments.id, payments.sequence, payments.acknowledged_at
    ), noted as (
      insert into payment_acknowledgements (merchant_id, payment_id, sequence, acknowledged_at)
      select merchant_id, id, sequence, acknowledged_at from done
    )
    select :row from done`,
})

/** Payments of merchants by order or shortened id. */
export const findPayments = byName(
  'find_payments',
  'payments',
  { merchantId: uuid, id: uuid, orderId: text, status: word<PaymentStatus>(), currency: text, amount: bigint },
  'payments.order_id = :typed',
)

/** Adds a note about a locked payment if it has fewer than `most`; otherwise returns no row. */
export const insertPaymentNote = query('insert_payment_note', {
  parameters: {
    ...{ merchantId: uuid, paymentId: uuid, id: uuid, text },
    ...{ writtenBy: text, writtenAt: instant, most: integer },
  },
  row: { id: uuid },
  text: `insert into payment_notes (merchant_id, payment_id, id, text, written_by, written_at)
    select :merchantId, :paymentId, :id, :text, :writtenBy, :writtenAt
    where (select count(*) from payment_notes where merchant_id = :merchantId and payment_id = :paymentId) < :most
    returning id`,
})

export const selectPaymentNotes = table('payment_notes', { merchantId: uuid, paymentId: uuid }).select(
  'list_payment_notes',
  { text, writtenBy: text, writtenAt: instant },
  'order by id',
)

import { bigint, boolean, columnsOf, instant, integer, nullable, query, text, uuid } from '../database/query.ts'

const nil = `'00000000-0000-0000-0000-000000000000'::uuid`

/** Leases the archive to a process, unless another one has it. */
export const leaseArchive = query('lease_archive', {
  parameters: { by: uuid, now: instant, until: instant },
  row: { doneUntil: nullable(instant), beganAt: nullable(instant) },
  text: `update archive_progress set leased_by = :by, leased_until = :until
    where leased_until is null or leased_until <= :now returning done_until, began_at`,
})

/** Gives the lease back. */
export const releaseArchive = query('release_archive', {
  parameters: { by: uuid },
  text: 'update archive_progress set leased_by = null, leased_until = null where leased_by = :by',
})

/** The archive, locked, if it is still leased to this process. */
export const lockArchive = query('lock_archive', {
  parameters: { by: uuid },
  row: { one: boolean },
  text: 'select one from archive_progress where leased_by = :by for update',
})

/** Records that everything before a time has been checked. */
export const finishPass = query('finish_archive_pass', {
  parameters: { by: uuid, until: instant },
  text: 'update archive_progress set done_until = :until where leased_by = :by',
})

/** Starts again with the oldest payments. */
export const beginPass = query('begin_archive_pass', {
  parameters: { by: uuid, now: instant },
  text: `with begun as (update archive_progress set began_at = :now where leased_by = :by returning 1)
    delete from archive_cursors where exists (select from begun)`,
})

/** How far archiving has come. */
export const findProgress = query('find_archive_progress', {
  row: { doneUntil: nullable(instant), beganAt: nullable(instant) },
  text: 'select done_until, began_at from archive_progress',
})

/** The time up to which everything was verified. */
export const findVerifiedUntil = query('find_verified_until', {
  row: { until: instant },
  text: 'select until from verified_history',
})

/** Merchants whose payments have not all been scanned up to an id, each with the last scanned one. */
export const listCursors = query('list_archive_cursors', {
  parameters: { untilId: uuid },
  row: { merchantId: uuid, paymentId: uuid },
  text: `select merchants.id as merchant_id, coalesce(cursors.payment_id, ${nil}) as payment_id
    from merchants left join archive_cursors as cursors on cursors.merchant_id = merchants.id
    where coalesce(cursors.payment_id, ${nil}) < :untilId order by merchants.id`,
})

/** Stores the last scanned payment of each merchant. */
export const saveCursors = query('save_archive_cursors', {
  rows: { merchantId: uuid, paymentId: uuid },
  text: `insert into archive_cursors (merchant_id, payment_id) select merchant_id, payment_id from :rows
    on conflict (merchant_id) do update set payment_id = excluded.payment_id`,
})

const here = 'merchant_id = payments.merchant_id'

/**
 * Whether nothing more can happen to a payment: it is closed, acknowledged if it was credited, and everything about it
 * is older than `:before`, queued for the endpoints and verified. A payment with its own story, such as a dispute or a
 * reversal, is never finished.
 */
const isFinished = `payments.changed_at < :before and payments.due_at is null
      and case when payments.status in ('paid', 'disput-paid') then payments.acknowledged_sequence is not distinct from payments.sequence
          and payments.acknowledged_at < :before
        when payments.status = 'failed' then payments.status_reason <> 'risk'
        else payments.status in ('expired', 'canceled') end
      and coalesce(payments.claim_received_at, payments.receipt_at, payments.created_at) < :before
      and not exists (select from archived_payments as archived where archived.${here} and archived.payment_id = payments.id)
      and not exists (select from disputes where disputes.${here} and disputes.payment_id = payments.id)
      and not exists (select from ack_reminders where ack_reminders.${here} and ack_reminders.payment_id = payments.id)
      and not exists (select from overpayment_decisions as decided where decided.${here} and decided.payment_id = payments.id)
      and not exists (select from transfer_parts as parts
        join transfer_reversals as reversals on reversals.requisite_id = parts.requisite_id
          and reversals.transfer_id = parts.transfer_id
        where parts.${here} and parts.payment_id = payments.id)
      and not exists (select from outbox left join verified_positions as verified on verified.merchant_id = outbox.merchant_id
        left join queued_notifications as queued on queued.merchant_id = outbox.merchant_id
        left join notification_endpoints as endpoints on endpoints.merchant_id = outbox.merchant_id
        left join deliveries on deliveries.merchant_id = outbox.merchant_id and deliveries.endpoint_id = endpoints.id
          and deliveries.position = outbox.position
        where outbox.payment_id = payments.id and outbox.${here}
          and (outbox.created_at >= :before or outbox.kind = 'payment.reversed' or deliveries.position is not null
            or outbox.position > coalesce(verified.position, 0) or outbox.position > coalesce(queued.position, 0)))`

/** The next payments of a merchant after one, and whether each may be archived. */
export const listNextPayments = query('list_payments_to_archive', {
  parameters: { merchantId: uuid, afterId: uuid, untilId: uuid, before: instant, limit: integer },
  row: { id: uuid, orderId: text, createdAt: instant, sequence: integer, isFinished: boolean },
  text: `select payments.id, payments.order_id, payments.created_at, payments.sequence, ${isFinished} as is_finished
    from (select * from payments where merchant_id = :merchantId and id > :afterId and id < :untilId
      order by merchant_id, id limit :limit) as payments order by payments.id`,
})

/** Which of these payments may still be archived. */
export const listStillFinished = query('list_still_finished', {
  parameters: { before: instant },
  rows: { merchantId: uuid, paymentId: uuid },
  row: { paymentId: uuid, sequence: integer },
  text: `select payments.id as payment_id, payments.sequence from :rows
    join payments on payments.merchant_id = input.merchant_id and payments.id = input.payment_id where ${isFinished}`,
})

const fileRow = {
  number: integer,
  id: uuid,
  firstAt: instant,
  lastAt: instant,
  payments: integer,
  events: bigint,
  notifications: bigint,
  acknowledgements: bigint,
  bytes: bigint,
  hash: text,
  previousHash: text,
  archivedAt: instant,
}
const fileColumns = columnsOf(fileRow, 'files')

export const findLastFile = query('find_last_archive_file', {
  row: { number: integer, hash: text },
  text: 'select number, hash from archive_files order by number desc limit 1',
})

export const insertFile = query('insert_archive_file', {
  parameters: fileRow,
  text: `insert into archive_files (:fields) values (:values)`,
})

/** Records which payments are in a file. */
export const insertArchived = query('insert_archived_payments', {
  parameters: { file: integer },
  rows: { merchantId: uuid, paymentId: uuid, sequence: integer },
  text: `insert into archived_payments (merchant_id, payment_id, file, sequence)
    select merchant_id, payment_id, :file, sequence from :rows order by merchant_id, payment_id`,
})

/** The files before one, the newest first. */
export const selectFiles = query('list_archive_files', {
  planned: 'each-time',
  parameters: { before: nullable(integer), limit: integer },
  row: fileRow,
  text: `select files.:row from archive_files as files where (:before is null or files.number < :before)
    order by files.number desc limit :limit`,
})

export const findFile = query('find_archive_file', {
  parameters: { number: integer },
  row: fileRow,
  text: `select files.:row from archive_files as files where files.number = :number`,
})

export const listFileIds = query('list_archive_file_ids', {
  row: { number: integer, id: uuid },
  text: 'select number, id from archive_files order by number',
})

/** The payments of a file. */
export const listArchivedOf = query('list_archived_payments', {
  planned: 'whole',
  parameters: { number: integer },
  row: { merchantId: uuid, paymentId: uuid, sequence: integer },
  text: 'select merchant_id, payment_id, sequence from archived_payments where file = :number',
})

export const findFileOf = query('find_archive_file_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { ...fileRow, sequence: integer },
  text: `select ${fileColumns}, archived.sequence from archived_payments as archived
    join archive_files as files on files.number = archived.file
    where archived.merchant_id = :merchantId and archived.payment_id = :paymentId`,
})

export const sumFiles = query('sum_archive_files', {
  row: {
    files: integer,
    payments: bigint,
    events: bigint,
    notifications: bigint,
    acknowledgements: bigint,
    bytes: bigint,
    lastAt: nullable(instant),
    lastFileAt: nullable(instant),
  },
  text: `select count(*)::integer as files, coalesce(sum(payments), 0)::bigint as payments,
      coalesce(sum(events), 0)::bigint as events, coalesce(sum(notifications), 0)::bigint as notifications,
      coalesce(sum(acknowledgements), 0)::bigint as acknowledgements, coalesce(sum(bytes), 0)::bigint as bytes,
      max(last_at) as last_at, max(archived_at) as last_file_at from archive_files`,
})

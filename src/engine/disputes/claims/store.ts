import {
  array,
  bigint,
  columnsOf,
  instant,
  integer,
  nullable,
  query,
  sooner,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { ReceiptType } from '../../../rules/payments/receipt.ts'

const claimRow = { merchantId: uuid, paymentId: uuid, id: uuid, amount: bigint, paidAt: instant, receivedAt: instant }

const payerClaims = table('payer_claims', { merchantId: uuid, paymentId: uuid })

export const insertClaim = payerClaims.insertNew('insert_payer_claim', claimRow)

export const findClaim = payerClaims.find('find_payer_claim', claimRow)

export const selectClaims = query('list_payer_claims', {
  planned: 'each-time',
  parameters: { before: nullable(uuid), limit: integer },
  row: claimRow,
  text: `select :row from payer_claims
    where :before is null or id < :before order by id desc limit :limit`,
})

const receiptRow = {
  merchantId: uuid,
  paymentId: uuid,
  id: uuid,
  contentType: word<ReceiptType>(),
  size: integer,
  receivedAt: instant,
}
const receiptColumns = columnsOf(receiptRow)

export const insertReceipt = query('insert_payer_receipt', {
  parameters: {
    ...receiptRow,
    contentIndex: text,
    contentIndexes: array(text),
    contentSealed: text,
    contentHash: nullable(text),
  },
  row: { id: uuid },
  text: `insert into payer_receipts (${receiptColumns}, content_index, content_sealed, content_hash)
    select :merchantId, :paymentId, :id, :contentType, :size, :receivedAt, :contentIndex, :contentSealed, :contentHash
    where not exists (select from payer_receipts
      where merchant_id = :merchantId and payment_id = :paymentId and content_index = any(:contentIndexes))
    on conflict (merchant_id, payment_id, content_index) do nothing returning id`,
})

export const listReceipts = query('list_payer_receipts', {
  rows: { merchantId: uuid, paymentId: uuid },
  row: receiptRow,
  text: `select :row from payer_receipts
    where (merchant_id, payment_id) in (select :columns from :rows) order by id`,
})

export const findReceipt = table('payer_receipts', { merchantId: uuid, paymentId: uuid, id: uuid }).find(
  'find_payer_receipt',
  { ...receiptRow, contentSealed: text, contentHash: nullable(text) },
)

/** Sets when a claim is checked next, to see whether it becomes a dispute; `null` for never. */
export const scheduleClaimCheck = payerClaims.update('schedule_claim_check', { checkAt: nullable(instant) })

export const markClaimsTurned = query('turn_claims', {
  parameters: { merchantId: uuid, now: instant, byMs: bigint },
  text: `update payer_claims set check_at = greatest(:now, ${sooner('check_at')})
    where merchant_id = :merchantId and check_at > :now`,
})

export const listDueClaims = query('list_claims_to_check_at', {
  parameters: { now: instant, limit: integer },
  row: claimRow,
  text: `select :row from payer_claims
    where check_at <= :now order by check_at limit :limit`,
})

const listKnownOf = (files: 'payer_receipts' | 'dispute_evidence') =>
  query(`list_known_${files}`, {
    parameters: { ids: array(uuid) },
    row: { id: uuid },
    text: `select id from ${files} where id = any(:ids) and content_hash is not null`,
  })

/** Which of these files exist outside of the database, per table. */
export const listKnown = {
  payer_receipts: listKnownOf('payer_receipts'),
  dispute_evidence: listKnownOf('dispute_evidence'),
} as const

import { bigint, byNameOnRequisite, instant, integer, nullable, query, text, uuid, word } from 'payin-database'
import type { PartKind } from '../../../rules/transfers/transfer.ts'

const row = {
  requisiteId: uuid,
  id: uuid,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  bankReference: nullable(text),
}

const ofMoney = (name: string, table: string) => byNameOnRequisite(name, table, row, `${table}.bank_reference = :typed`)

export const findByName = {
  transfers: ofMoney('find_transfers', 'transfers'),
  transfer_reversals: ofMoney('find_transfer_reversals', 'transfer_reversals'),
  outgoing_transfers: ofMoney('find_outgoing_transfers', 'outgoing_transfers'),
}

export const findReported = query('find_reported_text', {
  parameters: { requisiteId: uuid, id: uuid },
  row: {
    textSealed: nullable(text),
    senderSealed: nullable(text),
    senderNameSealed: nullable(text),
    senderBank: nullable(text),
    channel: nullable(text),
  },
  text: `select :row from transfers where requisite_id = :requisiteId and id = :id`,
})

/** The newest texts of known senders on a requisite, without those that stand on the word of one person. */
export const listTexts = query('list_transfer_texts', {
  parameters: { requisiteId: uuid, limit: integer },
  row: { id: uuid, sender: nullable(text), textSealed: nullable(text) },
  text: `select id, coalesce(sender_index, nullif(sender_name_masked, '')) as sender, text_sealed from transfers
    where requisite_id = :requisiteId and text_sealed is not null and coalesce(sender_index, sender_name_masked, '') <> ''
      and reported_by is null and duplicate_of is null and dedupe_key not like 'withdrawn:%'
    order by id desc limit :limit`,
})

export const listStatementLines = query('list_statement_lines_of_transfer', {
  parameters: { requisiteId: uuid, id: uuid },
  row: { statementId: uuid, fileName: text, line: integer },
  text: `select statements.id as statement_id, statements.file_name, brought.line from statement_rows as brought
    join statements on statements.id = brought.statement_id
    where brought.requisite_id = :requisiteId and brought.transfer_id = :id and brought.kind = 'booked'
    order by statements.id, brought.position limit 20`,
})

export const findPayerNumbers = query('find_payer_numbers', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { phoneSealed: nullable(text), transferId: nullable(uuid), senderSealed: nullable(text) },
  text: `select payments.payer_phone_sealed as phone_sealed, sent.id as transfer_id, sent.sender_sealed from payments
    left join lateral (
      select transfers.id, transfers.sender_sealed from transfer_parts as parts
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
      where parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id
        and parts.replaced_at is null and transfers.sender_sealed is not null
      order by transfers.id limit 1
    ) as sent on true
    where payments.merchant_id = :merchantId and payments.id = :paymentId`,
})

export const listPartsOfPayment = query('list_parts_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: {
    requisiteId: uuid,
    id: uuid,
    kind: word<PartKind>(),
    amount: bigint,
    outcome: text,
    decidedBy: text,
    note: nullable(text),
    bookedAt: instant,
    senderMasked: text,
    bankReference: nullable(text),
  },
  text: `select transfers.requisite_id, transfers.id, parts.kind, parts.amount, parts.outcome, parts.decided_by, parts.note,
      transfers.booked_at, transfers.sender_masked, transfers.bank_reference
    from transfer_parts as parts
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    where parts.merchant_id = :merchantId and parts.payment_id = :paymentId and parts.replaced_at is null
    order by transfers.id limit 100`,
})

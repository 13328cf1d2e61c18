import { bigint, instant, integer, jsonb, nullable, statement, text, uuid } from '../database/statement.ts'

/** A page of reversals of which nobody knows what they took back, the newest first, with transfers that they may mean. */
export const listOpenReversals = statement({
  name: 'list_open_transfer_reversals',
  planned: 'anew',
  parameters: { before: nullable(uuid), limit: integer },
  row: {
    requisiteId: uuid,
    id: uuid,
    currency: text,
    amount: bigint,
    bookedAt: instant,
    source: text,
    bankReference: nullable(text),
    senderMasked: text,
    recordedAt: instant,
    candidates: jsonb<readonly string[]>(),
  },
  text: `select requisite_id, id, currency, amount, booked_at, source, bank_reference, sender_masked, recorded_at,
      coalesce((select jsonb_agg(found.id order by found.id desc) from (
        select transfers.id from transfers
        where transfers.requisite_id = reversals.requisite_id and transfers.amount = reversals.amount
          and transfers.dedupe_key not like 'returned:%' and not exists (select from transfer_reversals as others
            where others.requisite_id = transfers.requisite_id and others.transfer_id = transfers.id)
        order by transfers.booked_at desc limit 20) as found), '[]') as candidates
    from transfer_reversals as reversals
    where transfer_id is null and resolved_at is null and (:before is null or id < :before) order by id desc limit :limit`,
})

/** A reversal that waits for a decision, locked against every other one. */
export const lockOpenReversal = statement({
  name: 'lock_open_transfer_reversal',
  parameters: { requisiteId: uuid, id: uuid },
  row: { currency: text, amount: bigint },
  text: `select currency, amount from transfer_reversals
    where requisite_id = :requisiteId and id = :id and transfer_id is null and resolved_at is null for update`,
})

/** Ends the case of a reversal, with the transfer that it took back where there is one. */
export const resolveReversal = statement({
  name: 'resolve_transfer_reversal',
  parameters: {
    requisiteId: uuid,
    id: uuid,
    transferId: nullable(uuid),
    by: text,
    note: nullable(text),
    now: instant,
  },
  row: {},
  text: `update transfer_reversals
    set transfer_id = :transferId, resolved_at = :now, resolved_by = :by, note = :note
    where requisite_id = :requisiteId and id = :id`,
})

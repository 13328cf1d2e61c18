import { bigint, columnsOf, instant, query, text, uuid } from '../../database/query.ts'

const openingRow = {
  requisiteId: uuid,
  day: text,
  beginsAt: instant,
  currency: text,
  balance: bigint,
  reason: text,
  setBy: text,
  setAt: instant,
}

/** Sets what an account held at first; no row where that was set before. */
export const insertOpeningBalance = query('insert_opening_balance', {
  parameters: openingRow,
  row: { requisiteId: uuid },
  text: `insert into opening_balances (${columnsOf(openingRow)})
    values (:requisiteId, :day, :beginsAt, :currency, :balance, :reason, :setBy, :setAt)
    on conflict (requisite_id) do nothing returning requisite_id`,
})

/** A day before which money of an account was booked by its bank. */
export const findMovementBefore = query('find_movement_before_opening', {
  parameters: { requisiteId: uuid, before: instant },
  row: { bookedAt: instant },
  text: `(select booked_at from transfers where requisite_id = :requisiteId and booked_at < :before
        and dedupe_key not like 'withdrawn:%' limit 1)
    union all
    (select booked_at from outgoing_transfers where requisite_id = :requisiteId and booked_at < :before
        and state <> 'withdrawn' limit 1)`,
})

/** What an account held at first. */
export const findOpeningBalance = query('find_opening_balance', {
  parameters: { requisiteId: uuid },
  row: openingRow,
  text: `select ${columnsOf(openingRow)} from opening_balances where requisite_id = :requisiteId`,
})

import { array, bigint, findAndLock, given, instant, nullable, query, text, uuid } from 'payin-database'

const openingRow = {
  requisiteId: uuid,
  /** `2026-01-31`, in the bank's time zone. */
  day: text,
  beginsAt: instant,
  currency: text,
  balance: bigint,
  reason: text,
  setBy: text,
  setAt: instant,
}

/** A balance that waits for another operator. */
const proposal = { proposedDay: nullable(text), proposedBalance: nullable(bigint), proposedBy: nullable(text) }

export const insertOpeningBalance = query('insert_opening_balance', {
  parameters: openingRow,
  row: { requisiteId: uuid },
  text: `insert into opening_balances (:fields) values (:values)
    on conflict (requisite_id) do nothing returning requisite_id`,
})

/** Replaces the opening balance of an account by an earlier one. */
export const moveOpeningBalance = query('move_opening_balance', {
  parameters: openingRow,
  text: `update opening_balances set ${given(openingRow)},
      proposed_day = null, proposed_balance = null, proposed_by = null
    where requisite_id = :requisiteId and currency = :currency`,
})

/** When the first days of accounts began; accounts without an opening balance are left out. */
export const selectOpenings = query('list_openings', {
  parameters: { requisiteIds: array(uuid) },
  row: { requisiteId: uuid, day: text, beginsAt: instant },
  text: `select :row from opening_balances where requisite_id = any(:requisiteIds)`,
})

/** Since when payments have waited for money on an account, if that was before a time. */
export const findPaymentBefore = query('find_payment_before_opening', {
  parameters: { requisiteId: uuid, before: instant },
  row: { takenAt: instant },
  text: `select taken_at from (
      select taken_at from slots where requisite_id = :requisiteId and taken_at < :before
      union all select taken_at from past_slots where requisite_id = :requisiteId and taken_at < :before
    ) as held order by taken_at limit 1`,
})

export const findMovementBefore = query('find_movement_before_opening', {
  parameters: { requisiteId: uuid, before: instant },
  row: { bookedAt: instant },
  text: `(select booked_at from transfers where requisite_id = :requisiteId and booked_at < :before
        and dedupe_key not like 'withdrawn:%' limit 1)
    union all
    (select booked_at from outgoing_transfers where requisite_id = :requisiteId and booked_at < :before
        and state <> 'withdrawn' limit 1)`,
})

export const proposeOpeningBalance = query('propose_opening_balance', {
  parameters: { requisiteId: uuid, day: text, balance: bigint, setBy: text },
  text: `update opening_balances set proposed_day = :day, proposed_balance = :balance, proposed_by = :setBy
    where requisite_id = :requisiteId`,
})

const ofRequisite = findAndLock(
  'opening_balance',
  'opening_balances',
  { requisiteId: uuid },
  { ...openingRow, ...proposal },
)

export const selectOpening = ofRequisite.find
export const lockOpeningBalance = ofRequisite.lock

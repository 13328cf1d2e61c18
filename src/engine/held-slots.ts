/**
 * Whether payments that share an amount of `slots` hold it at a time, apart from the one in `slots`. `offset 0` keeps
 * the amount from choosing the index: a fixed price has years of former holders.
 */
const heldBySharers = (at: string): string => `slots.shares and exists (select from (
      select amount from past_slots where past_slots.requisite_id = slots.requisite_id and past_slots.held_until > ${at} offset 0
    ) as sharers where sharers.amount = slots.amount)`

/** Whether an amount of `slots` is held at a time, by the payment in `slots` or by those that share it. */
export const slotHeld = (at: string): string => `(slots.held_until > ${at} or ${heldBySharers(at)})`

/** Whether nobody holds an amount of `slots` at a time. */
export const slotFree = (at: string): string => `(slots.held_until <= ${at} and not (${heldBySharers(at)}))`

/**
 * Whether the payment of an insert may take over the row of `slots` that is in its way. Whoever has changed the row since
 * the statement began may have added a sharer, or ended a hold that is not kept as a past one: the statement does not see
 * either, so it does not get the slot. So whoever adds a sharer, or extends its hold, writes the row.
 */
const mayTakeOver = `${slotFree('excluded.taken_at')} and slots.xmin = (select seen.xmin from slots as seen
      where seen.requisite_id = excluded.requisite_id and seen.amount = excluded.amount)`

/** What an insert into `slots` does with the row of another payment; see `mayTakeOver`. */
export const takeOver = `on conflict (requisite_id, amount) do update set merchant_id = excluded.merchant_id,
    payment_id = excluded.payment_id, taken_at = excluded.taken_at, held_until = excluded.held_until,
    shares = excluded.shares
  where ${mayTakeOver} returning payment_id`

/** What an insert into `past_slots` does with a row that is already there: the longer hold counts. */
export const keepFormer = `on conflict (requisite_id, amount, taken_at, payment_id) do update
  set held_until = greatest(past_slots.held_until, excluded.held_until)`

/** Locks rows of `slots` that are shared, in their order, and writes them; returns their keys. See `mayTakeOver`. */
export const writeShared = (keys: string, condition = 'true'): string => `update slots set shares = true from (
        select requisite_id, amount from slots where (requisite_id, amount) in (${keys}) and shares and ${condition}
        order by requisite_id, amount for no key update
      ) as locked where slots.requisite_id = locked.requisite_id and slots.amount = locked.amount
      returning slots.requisite_id, slots.amount`

/** The table `held` with `until` when a row of `payments` holds its amount on an account; null if it does not. */
export const heldUntil = `lateral (select max(held_until) as until from (
        select held_until from slots where slots.requisite_id in (payments.requisite_id, payments.switched_from)
          and slots.amount = payments.amount and slots.payment_id = payments.id and slots.held_until > :now
        union all
        select held_until from (select payment_id, held_until from past_slots where payments.shares_slot
          and past_slots.requisite_id in (payments.requisite_id, payments.switched_from)
          and past_slots.held_until > :now offset 0) as sharers where sharers.payment_id = payments.id
      ) as holds) as held`

/**
 * Whether an unpaid row of `payments` holds its amount, with `heldUntil`. One that was canceled or has expired still
 * counts meanwhile: canceling in a loop gains nothing.
 */
export const holdsUnpaid = `held.until is not null and payments.received = 0
        and payments.status not in ('paid', 'disput-paid')`

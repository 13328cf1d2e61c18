/**
 * Whether payments that share an amount of `slots` hold it at a time, apart from the one in `slots`. `offset 0` keeps
 * the amount from choosing the index: a fixed price has years of former holders. Whoever takes over the amount does not
 * see a sharer that another transaction adds in the millisecond in which the last hold ends. Both hold it then, and
 * money of that amount waits unless its evidence tells them apart.
 */
const heldBySharers = (at: string): string => `slots.shares and exists (select from (
      select amount from past_slots where past_slots.requisite_id = slots.requisite_id and past_slots.held_until > ${at} offset 0
    ) as sharers where sharers.amount = slots.amount)`

/** Whether an amount of `slots` is held at a time, by the payment in `slots` or by those that share it. */
export const slotHeld = (at: string): string => `(slots.held_until > ${at} or ${heldBySharers(at)})`

/** Whether another payment may take over an amount of `slots` at a time. */
export const slotFree = (at: string): string => `(slots.held_until <= ${at} and not (${heldBySharers(at)}))`

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

/**
 * Whether payments that share an amount of `slots` hold it at a time, apart from the one in `slots`. `offset 0` keeps
 * the amount from choosing the index: a fixed price has years of former holders.
 */
const heldBySharers = (at: string): string => `slots.shares and exists (select from (
      select amount from past_slots where past_slots.requisite_id = slots.requisite_id and past_slots.held_until > ${at} offset 0
    ) as sharers where sharers.amount = slots.amount)`

/** Whether an amount of `slots` is held at a time, by the payment in `slots` or by those that share it. */
export const slotHeld = (at: string): string => `(slots.held_until > ${at} or ${heldBySharers(at)})`

/** Whether another payment may take over an amount of `slots` at a time. */
export const slotFree = (at: string): string => `(slots.held_until <= ${at} and not (${heldBySharers(at)}))`

import { type Invariant, invariant } from '../invariant.ts'

/** The invariants of payment links; zero rows is healthy. */
export const linkInvariants: readonly Invariant[] = [
  invariant(
    'link-payments-fit-link',
    'A payment of a link was started by it, with its merchant, its currency and its fixed amount, if any.',
    `select concat_ws(' ', payments.merchant_id, payments.id) from payments
      left join payment_links as links on links.id = payments.link_id and links.merchant_id = payments.merchant_id
      left join payment_link_uses as uses on uses.link_id = payments.link_id and uses.order_id = payments.order_id
      where payments.link_id is not null and (links.id is null or uses.order_id is null
        or links.currency <> payments.currency or links.amount <> payments.amount
        or uses.amount <> payments.amount or uses.payment_id <> payments.id)`,
  ),
  invariant(
    'link-seats-within-most',
    'A use holds a seat up to the limit of its link, or none if there is no limit.',
    `select concat_ws(' ', uses.link_id, uses.order_id) from payment_link_uses as uses
      join payment_links as links on links.id = uses.link_id
      where (uses.seat is null) <> (links.max_uses is null) or uses.seat > links.max_uses`,
  ),
]

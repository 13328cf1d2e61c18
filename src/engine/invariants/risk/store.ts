import { type Invariant, invariant, mostApart } from '../invariant.ts'

/** The invariants of risk rules and of paused requisites; zero rows is healthy. */
export const riskInvariants: readonly Invariant[] = [
  invariant(
    'risk-refusals-explained',
    'A payment failed for risk exactly when one decision says why.',
    `select concat_ws(' ', merchant_id, payment_id) from (
        select merchant_id, payment_id, count(*) as times from payment_events
        where status = 'failed' and status_reason = 'risk' and trigger = 'service-closed' group by merchant_id, payment_id
      ) as failures full join (
        select merchant_id, payment_id, count(*) as decisions from risk_decisions
        where outcome = 'refused' group by merchant_id, payment_id
      ) as reasons using (merchant_id, payment_id) where times is distinct from decisions or times > 1`,
  ),
  invariant(
    'velocity-rules-hold',
    'No window before a payment of a payer holds more than the rules for users and phones that were in force allow.',
    `select concat_ws(' ', rules.id, uses.merchant_id, uses.payment_id) from risk_rules as rules
      join risk_uses as uses on uses.kind = rules.kind and coalesce(rules.merchant_id, uses.merchant_id) = uses.merchant_id
        and uses.at > rules.created_at + ${mostApart} and uses.at < coalesce(rules.ended_at - ${mostApart}, 'infinity')
      cross join lateral (
        select count(*) as payments, sum(others.amount) filter (where others.currency = rules.currency) as amount
        from risk_uses as others
        where others.payer_index = uses.payer_index and others.kind = uses.kind and others.mode = uses.mode
          and coalesce(rules.merchant_id, others.merchant_id) = others.merchant_id and others.at <= uses.at
          and others.at > uses.at - rules.window_ms * interval '1 millisecond'
      ) as inside
      where rules.kind in ('user', 'phone')
        and (inside.payments > rules.max_count or (uses.currency = rules.currency and inside.amount > rules.max_amount))`,
  ),
  invariant(
    'automatic-pauses-hold',
    'A requisite whose automatic pause lasts is paused.',
    `select requisites.id::text from requisite_pauses join requisites on requisites.id = requisite_pauses.requisite_id
      where requisite_pauses.ended_at is null and requisites.status <> 'paused'`,
  ),
]

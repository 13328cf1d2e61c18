import { type Invariant, invariant, mostApart } from '../invariant.ts'

const payment = `concat_ws(' ', payments.merchant_id, payments.id)`
const credited = `('paid', 'disput-paid')`

/** The invariants of disputes (docs/domain.md §12); zero rows is healthy. */
export const disputeInvariants: readonly Invariant[] = [
  invariant(
    'disputes-fit-status',
    'A payment is disput while it has an open dispute and, after the first minute, only then; one with a proposed one is credited.',
    `select ${payment} from payments where case when status = 'disput' then changed_at < :now - interval '60 seconds'
        else true end and (status = 'disput') <> exists (select from disputes
        where disputes.merchant_id = payments.merchant_id and disputes.payment_id = payments.id and state = 'open')
      union all
      select concat_ws(' ', disputes.merchant_id, disputes.id) from disputes join payments
        on payments.merchant_id = disputes.merchant_id and payments.id = disputes.payment_id
      where state = 'proposed' and payments.status not in ${credited}`,
  ),
  invariant(
    'corrections-by-two',
    'A correction is confirmed by another operator than its author, and none takes effect without.',
    `select concat_ws(' ', disputes.merchant_id, disputes.id) from disputes left join payment_events as events
        on events.merchant_id = disputes.merchant_id and events.payment_id = disputes.payment_id
        and events.trigger = 'correction-opened' and events.at >= disputes.opened_at - ${mostApart}
      where (confirmed_by is not null and (confirmed_by not like 'operator:%' or correction_by not like 'operator:%'))
        or (disputes.from_status in ${credited} and state in ('open', 'accepted') and events.payment_id is null)`,
  ),
  invariant(
    'dispute-events-gapless',
    'The events of a dispute are numbered from 1 without gaps; the last decision among them is its state.',
    `select concat_ws(' ', disputes.merchant_id, disputes.id) from disputes left join (
        select merchant_id, dispute_id, min(sequence) as first, max(sequence) as last, count(*) as events,
          (array_agg(kind order by sequence desc) filter (where kind in ('accepted', 'rejected', 'withdrawn')))[1] as kind
        from dispute_events group by merchant_id, dispute_id
      ) as numbered on numbered.merchant_id = disputes.merchant_id and numbered.dispute_id = disputes.id
      where numbered.first is distinct from 1 or numbered.last <> numbered.events
        or numbered.kind is distinct from case when decided_at is null then null else state end`,
  ),
  invariant(
    'evidence-in-bounds',
    'A dispute has at most ten files of at most 5 MB each, none after its decision.',
    `select concat_ws(' ', evidence.merchant_id, evidence.dispute_id) from dispute_evidence as evidence
      left join disputes on disputes.merchant_id = evidence.merchant_id and disputes.id = evidence.dispute_id
      group by evidence.merchant_id, evidence.dispute_id, disputes.id, decided_at
      having count(*) > 10 or max(size) > 5242880 or disputes.id is null or max(received_at) > decided_at`,
  ),
]

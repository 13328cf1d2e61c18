import {
  bigint,
  byAmountIn,
  byTime,
  instant,
  listQueries,
  nullable,
  scanText,
  type SortedBy,
  text,
  uuid,
} from 'payin-database'

const filter = {
  merchantId: nullable(uuid),
  state: nullable(text),
  currency: nullable(text),
  amountFrom: nullable(bigint),
  amountTo: nullable(bigint),
}

const matches = `(:merchantId is null or disputes.merchant_id = :merchantId)
          and (:state is null or disputes.state = :state)
          and (:amountFrom is null or disputes.amount >= :amountFrom)
          and (:amountTo is null or disputes.amount <= :amountTo)
          and (:currency is null or exists (select from payments where payments.merchant_id = disputes.merchant_id
            and payments.id = disputes.payment_id and payments.currency = :currency))`

const columns = { rows: 'disputes', owner: 'disputes.merchant_id', id: 'disputes.id', matches }

/** Sources of disputes: all, or the few that wait for a decision. */
const sources = {
  all: {
    ...columns,
    owners: '(select id from merchants where :merchantId is null or id = :merchantId)',
    where: 'disputes.merchant_id = owner.id',
  },
  undecided: { ...columns, owners: '(select null::uuid as id)', where: 'disputes.decided_at is null' },
}

const allByAmount = {
  ...sources.all,
  where: `${sources.all.where}
          and (:amountFrom is null or disputes.amount >= :amountFrom)
          and (:amountTo is null or disputes.amount <= :amountTo)`,
}

const byAmount = byAmountIn('disputes.amount')
const byDue = (isDescending: boolean): SortedBy => ({ column: 'disputes.due_at', type: 'timestamptz', isDescending })

const { scan, scanBy, count } = listQueries(filter)

const sorted = (name: string, source: typeof sources.all, amounts = source) => ({
  newest: scan(`list_newest_${name}`, scanText(source, byTime('newest'))),
  oldest: scan(`list_oldest_${name}`, scanText(source, byTime('oldest'))),
  amount: scan(`list_smallest_${name}`, scanText(amounts, byAmount.amount)),
  '-amount': scan(`list_largest_${name}`, scanText(amounts, byAmount['-amount'])),
})

/** A page of disputes that match a filter, by source and sort order; owners are merchants. */
export const scanDisputes = {
  all: sorted('disputes', sources.all, allByAmount),
  undecided: sorted('undecided_disputes', sources.undecided),
}

/** The same for undecided disputes, sorted by deadline. */
export const scanDueDisputes = {
  due: scanBy(instant, 'list_next_due_disputes', scanText(sources.undecided, byDue(false))),
  '-due': scanBy(instant, 'list_last_due_disputes', scanText(sources.undecided, byDue(true))),
}

/** How many disputes match a filter, by source. */
export const countMatching = {
  all: count('count_all_disputes', sources.all),
  undecided: count('count_undecided_disputes', sources.undecided),
}

import { maskIfKnown } from '../../rules/values/masking.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { findAlone } from '../../engine/members/refuse-one-person.ts'
import { decideOverpayment, type NewDecision } from '../../engine/transfers/overpayments/decide-overpayment.ts'
import { listOverpayments } from '../../engine/transfers/read.ts'
import { getPaymentById } from '../../engine/payments/read.ts'
import { previewEntries } from '../../engine/ledger/post-entries.ts'
import type { MerchantAndId } from '../../operations/fields.ts'
import { type DecisionBody, overpayments } from '../../operations/overpayments.ts'
import type { Static } from '../../operations/schema.ts'
import { ownersOf, readPage } from '../routes/lists.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'

type Asked = {
  readonly params: Static<typeof MerchantAndId>
  readonly body: DecisionBody
  readonly operator: string
}

/** Reads the decision of a request. Refuses `payment_not_found`, `amount_above_max`, `amount_precision`. */
const readWanted = async (context: Context, { params, body, operator }: Asked): Promise<NewDecision> => {
  const { reference, decision, reason, requisiteId = null, bookedAt, amount } = body
  const payment = await getPaymentById(context, params.merchantId, params.id)
  return readBody((read) => ({
    ...{ merchantId: payment.merchantId, paymentId: payment.id, reference, decision, reason, requisiteId },
    amount: amount === undefined ? null : read.amount(body, 'amount', payment.currency),
    bookedAt: read.booked(bookedAt, 'bookedAt', context.clock()),
    decidedBy: actorOf({ operator }),
  }))
}

/** Overpayments, and decisions about them. */
export const overpaymentRoutes = bindOperations(overpayments.operations, {
  list: (context, { query }) =>
    readPage(
      'overpayments',
      query,
      (span) => listOverpayments(context, { ...ownersOf(query), ...span }),
      (row) => ({ ...row, paymentId: row.id, sender: maskIfKnown(row.sender ?? '') || null }),
    ),
  decide: async (context, request) => {
    const wanted = await readWanted(context, request)
    const decide = async (tx: Tx) => decideOverpayment(tx, wanted, await findAlone(context, tx, wanted.decidedBy))
    return actOnBehalf(context, request, decide, {
      action: `overpayment.${wanted.decision}`,
      subject: `payment:${wanted.merchantId}/${wanted.paymentId}`,
      details: (made) => ({ ...request.body, amount: made.amount }),
    })
  },
  preview: async (context, request) => {
    const wanted = await readWanted(context, request)
    const decide = async (tx: Tx) => decideOverpayment(tx, wanted, await findAlone(context, tx, wanted.decidedBy))
    return { entries: await previewEntries(context, decide) }
  },
})

import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { overpaymentDecisions } from '../../domain/overpayment.ts'
import { Refusal } from '../../domain/refusal.ts'
import { formatInstant } from '../../domain/time.ts'
import { decideOverpayment } from '../../transfers/overpayments/decide-overpayment.ts'
import { listOverpayments } from '../../transfers/read.ts'
import { findPaymentById } from '../../payments/read.ts'
import type { App } from '../app.ts'
import { PositiveAmount, wireAmount } from '../amounts.ts'
import { OneOf, Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { cutPage, NextCursor, PageQuery, pageSize } from '../paging.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { MerchantAndId, Reason, Reference } from './operator-fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'

const Decision = Type.Object({
  id: Id,
  merchantId: Id,
  paymentId: Id,
  reference: Type.String(),
  decision: OneOf(overpaymentDecisions),
  currency: Type.String(),
  amount: Type.Number(),
  reason: Type.String(),
  decidedBy: Type.String({ examples: ['operator:anna'] }),
  decidedAt: Time,
})

/** What was decided about an overpayment. */
export type Decision = Static<typeof Decision>

const registerDecide = (app: App, context: Context): void => {
  app.post(
    '/overpayments/:merchantId/:id/decisions',
    {
      schema: {
        ...operation(
          'decideOverpayment',
          'Decide about money that a payment could not take',
          "`assign` credits it to the merchant at the payment's rate and fee, `refund` notes that the bank account of `requisiteId` paid it back, `write-off` makes it the operator's.",
        ),
        params: MerchantAndId,
        body: Type.Object(
          {
            reference: Reference,
            decision: OneOf(overpaymentDecisions),
            amount: Type.Optional({ ...PositiveAmount, description: 'Default: all that is owed.' }),
            requisiteId: Type.Optional({ ...Id, description: 'For a refund: the requisite that paid it.' }),
            bookedAt: Type.Optional({ ...Time, description: 'For a refund: when the bank booked it. Default: now.' }),
            reason: Reason,
          },
          { additionalProperties: false },
        ),
        response: { 200: Decision, ...problems(409, 422) },
      },
    },
    async (request) => {
      const { merchantId, id: paymentId } = request.params
      const { reference, decision, reason, requisiteId, bookedAt, amount } = request.body
      const payment = await findPaymentById(context, merchantId, paymentId)
      if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
      const read = readBody()
      const wanted = {
        ...{ merchantId: payment.merchantId, paymentId: payment.id, reference, decision, reason },
        amount: amount === undefined ? null : read.amount(request.body, 'amount', payment.currency),
        requisiteId: requisiteId ?? null,
        bookedAt: bookedAt === undefined ? context.clock() : read.instant(bookedAt, 'bookedAt'),
        decidedBy: actorOf(request),
      }
      read.finish()
      const decided = await actOnBehalf(
        context,
        request,
        {
          action: `overpayment.${decision}`,
          subject: `payment:${merchantId}/${paymentId}`,
          details: (made: { amount: bigint }) => ({ reference, amount: made.amount, reason, requisiteId }),
        },
        (tx) => decideOverpayment(tx, wanted),
      )
      return {
        id: decided.id,
        merchantId: decided.merchantId,
        paymentId: decided.paymentId,
        reference: decided.reference,
        decision: decided.decision,
        currency: decided.currency,
        amount: wireAmount(decided.amount, decided.currency),
        reason: decided.reason,
        decidedBy: decided.decidedBy,
        decidedAt: formatInstant(decided.decidedAt),
      }
    },
  )
}

const Overpayment = Type.Object({
  merchantId: Id,
  paymentId: Id,
  orderId: Type.String(),
  currency: Type.String(),
  amount: Type.Number(),
})

/** Money that a payment could not take. */
export type Overpayment = Static<typeof Overpayment>

const registerList = (app: App, context: Context): void => {
  app.get(
    '/overpayments',
    {
      schema: {
        ...operation('listOverpayments', 'List payments whose payers are owed money', 'Newest first.'),
        querystring: Type.Object({ ...PageQuery, merchantId: Type.Optional(Id) }, { additionalProperties: false }),
        response: {
          200: Type.Object({ overpayments: Type.Array(Overpayment), nextCursor: NextCursor }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { cursor: before = null, limit, merchantId = null } = request.query
      const size = pageSize(limit)
      const { page, next } = cutPage(await listOverpayments(context, { merchantId, before, limit: size + 1 }), size)
      const overpayments = page.map(({ id, amount, ...row }) => ({
        ...row,
        paymentId: id,
        amount: wireAmount(amount, row.currency),
      }))
      return { overpayments, ...next }
    },
  )
}

/** `GET /overpayments`, `POST /overpayments/{merchantId}/{paymentId}/decisions`. */
export const registerOverpayments = (app: App, context: Context): void => {
  registerList(app, context)
  registerDecide(app, context)
}

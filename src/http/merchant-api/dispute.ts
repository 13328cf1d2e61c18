import { Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { sealFile } from '../../engine/disputes/claims/seal-file.ts'
import { addEvidence } from '../../engine/disputes/evidence.ts'
import { storeInTurn } from '../../engine/disputes/claims/receive-proof.ts'
import { openDispute } from '../../engine/disputes/disputes.ts'
import { type DisputeHistory, listDisputesOfPayment, readHistory } from '../../engine/disputes/read.ts'
import { withdrawDispute } from '../../engine/disputes/decide-dispute.ts'
import { type Dispute, disputeReasons } from '../../rules/payments/dispute.ts'
import { orderIdPattern } from '../../rules/payments/order-id.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { getPayments } from '../../engine/payments/read.ts'
import { actAsMerchant } from '../access/act-on-behalf.ts'
import { DisputeHistoryAnswer } from '../../operations/disputes.ts'
import { toHistoryAnswer } from '../answers/dispute-answer.ts'
import { FileBody, readFile, takeFiles, uploadOptions } from '../answers/receipt-files.ts'
import { readBody } from '../routes/read-body.ts'
import { amountRefusals, NoBody } from '../../operations/fields.ts'
import { routesForMerchants } from '../routes/routes.ts'

// Fields that all routes have.
const address = '/payments/byOrderId/:orderId/dispute'

type OrderRequest = Pick<FastifyRequest<{ Params: { orderId: string } }>, 'caller' | 'params'>

/** The payment of an order. Refuses `payment_not_found`. */
export const paymentOf = async (context: Context, { caller, params }: OrderRequest): Promise<Payment> => {
  const [payment] = await getPayments(context, [{ merchantId: caller.merchantId, orderId: params.orderId }])
  if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
  return payment
}

/** Whether a merchant sees a dispute. A correction is hidden until a second operator has confirmed it. */
export const isShownToMerchant = ({ correction, fromStatus }: Dispute): boolean =>
  (fromStatus !== 'paid' && fromStatus !== 'disput-paid') || typeof correction?.confirmedBy === 'string'

const latest = async (context: Context | Tx, payment: Payment): Promise<Dispute> => {
  const dispute = (await listDisputesOfPayment(context, payment)).find(isShownToMerchant)
  if (!dispute) throw new Refusal('resource_not_found', 'There is no dispute about this payment.')
  return dispute
}

const answer = async (context: Context, request: OrderRequest, dispute: Dispute) => {
  const history: DisputeHistory = await readHistory(context, dispute)
  // Merchants see what was decided, but not which operator decided it.
  const nameOf = (actor: string): string => actor.split(':')[0] ?? actor
  const events = history.events.filter((event) => !['reminded', 'correction-proposed', 'proposed'].includes(event.kind))
  return toHistoryAnswer({ ...history, events }, await paymentOf(context, request), nameOf)
}

/** Disputes of the merchant's payments: open, read, withdraw. */
export const disputeRoutes = routesForMerchants('disputes')

disputeRoutes.post(address, 'payments:write', {
  id: 'openDispute',
  summary: 'Claim that a payment was paid',
  description:
    'The payment must be expired, canceled or failed; it becomes `disput`. Refused with `dispute_exists` while a dispute is open.',
  answer: DisputeHistoryAnswer,
  body: {
    amount: Type.Number({
      exclusiveMinimum: 0,
      description: 'The amount that the payer sent: at most that of the payment, or one that a bank has reported.',
      examples: [5000.37],
    }),
    'reason?': Type.OneOf(disputeReasons, 'Default: `paid-not-credited`.'),
    'note?': Type.String({ minLength: 1, maxLength: 1000, pattern: orderIdPattern, description: 'For the operator.' }),
  },
  status: 201,
  refusals: [...amountRefusals, 'dispute_exists', 'invalid_state', 'payment_not_found'],
  handle: async (context, request) => {
    const payment = await paymentOf(context, request)
    const amount = readBody((read) => read.amount(request.body, 'amount', payment.currency))
    const { reason = 'paid-not-credited', note = null } = request.body
    const claim = { claimant: 'merchant', actor: 'merchant', amount, reason, note } as const
    const dispute = await actAsMerchant(context, request, (tx) => openDispute(tx, payment, claim), {
      action: 'dispute.open',
      subject: ({ id }) => `dispute:${payment.merchantId}/${id}`,
      details: { orderId: payment.orderId, amount, reason, note },
    })
    return answer(context, request, dispute)
  },
})

disputeRoutes.get(address, 'payments:read', {
  id: 'getDispute',
  summary: 'Read the last dispute of a payment',
  description: 'With its files and its history.',
  answer: DisputeHistoryAnswer,
  refusals: ['payment_not_found', 'resource_not_found'],
  handle: async (context, request) =>
    answer(context, request, await latest(context, await paymentOf(context, request))),
})

disputeRoutes.post(`${address}/withdraw`, 'payments:write', {
  id: 'withdrawDispute',
  summary: "Withdraw the merchant's own claim",
  description: 'The payment returns to its previous status. Withdrawing again changes nothing.',
  answer: DisputeHistoryAnswer,
  body: NoBody,
  refusals: ['invalid_state', 'payment_not_found', 'resource_not_found'],
  handle: async (context, request) => {
    const payment = await paymentOf(context, request)
    const withdraw = async (tx: Tx) => withdrawDispute(tx, await latest(tx, payment))
    const dispute = await actAsMerchant(context, request, withdraw, {
      action: 'dispute.withdraw',
      subject: ({ id }) => `dispute:${payment.merchantId}/${id}`,
      details: { orderId: payment.orderId },
    })
    return answer(context, request, dispute)
  },
})

export const evidenceUploadRoute = routesForMerchants('disputes', (scope) =>
  takeFiles(scope, (request) => `${request.caller.merchantId} ${(request.params as { orderId: string }).orderId}`),
).post(`${address}/evidence`, 'payments:write', {
  id: 'addDisputeEvidence',
  summary: 'Add a file to the open dispute of a payment',
  description:
    'The body is the file: PNG, JPEG, WebP, HEIC or PDF of at most 5 MB; the type is read from its content, not from the header. At most ten files per dispute.',
  answer: DisputeHistoryAnswer,
  ...uploadOptions,
  bodyContent: FileBody,
  refusals: ['invalid_state', 'payment_not_found', 'resource_not_found'],
  handle: async (context, request) => {
    const payment = await paymentOf(context, request)
    const file = readFile(request)
    const dispute = await storeInTurn(context, async () => {
      const sealed = await sealFile(context, 'dispute_evidence', file)
      const add = async (tx: Tx) => addEvidence(tx, await latest(tx, payment), sealed, 'merchant')
      return actAsMerchant(context, request, add, {
        action: 'dispute.evidence',
        subject: ({ id }) => `dispute:${payment.merchantId}/${id}`,
        details: { orderId: payment.orderId, file: sealed.id },
      })
    })
    return answer(context, request, dispute)
  },
})

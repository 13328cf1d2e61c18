import { type Static, Type } from '../../operations/schema.ts'
import { openFile } from '../../engine/disputes/claims/seal-file.ts'
import { getReceipt, type ListedClaim, listClaims, type Receipt } from '../../engine/disputes/read.ts'
import { receiptTypes } from '../../rules/payments/receipt.ts'
import { findPaymentById } from '../../engine/payments/read.ts'
import type { Context } from '../../engine/context.ts'
import { fileAnswer, sendFile } from '../files.ts'
import { Id, PaymentStatus, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { routesForOperators } from '../routes.ts'
import { ofMerchant } from '../../operations/operator-fields.ts'

/** Schema of a file that a payer sent. */
export const ReceiptAnswer = Type.Titled('Receipt', {
  id: Id,
  contentType: Type.OneOf(receiptTypes, "Detected from the file's content."),
  size: Type.Whole('Bytes.'),
  receivedAt: Time,
})

/** The wire form of a file that a payer sent. */
export const toReceiptAnswer = ({ id, contentType, size, receivedAt }: Receipt): Static<typeof ReceiptAnswer> =>
  wire.fields({ id, contentType, size, receivedAt })

const ClaimAnswer = Type.Titled('PayerClaim', {
  id: Id,
  ...ofMerchant,
  paymentId: Id,
  orderId: Type.String(),
  status: PaymentStatus,
  currency: Type.String(),
  amount: Type.Number({ description: 'The amount that the payer claims to have sent.' }),
  paymentAmount: Type.Number(),
  paidAt: { ...Time, description: 'When the payer claims to have sent it.' },
  receivedAt: Time,
  receipts: Type.Array(ReceiptAnswer),
})

export type ClaimAnswer = Static<typeof ClaimAnswer>

const toAnswer = async (context: Context, claim: ListedClaim): Promise<ClaimAnswer> => {
  const payment = await findPaymentById(context, claim.merchantId, claim.paymentId)
  if (!payment) throw new Error(`claim ${claim.id}: its payment is unknown`)
  const { orderId, status, currency } = payment
  return wire.fields({
    ...{ ...claim, orderId, status, currency },
    amount: wire.amount(claim.amount, currency),
    paymentAmount: wire.amount(payment.amount, currency),
    receipts: claim.receipts.map(toReceiptAnswer),
  })
}

/** Claims of payers, and the files that they sent. */
export const claimRoutes = routesForOperators()

claimRoutes.get('/claims', 'read', {
  id: 'listClaims',
  summary: "List payers' claims to have paid closed payments",
  description: 'Newest first. A claim changes neither money nor status; late money is still matched automatically.',
  query: PageQuery,
  answer: pageOf('claims', ClaimAnswer),
  exports: 'claims',
  handle: (context, { query }) =>
    readPage(
      'claims',
      query,
      ({ before, limit }) => listClaims(context, before, limit),
      (claim) => toAnswer(context, claim),
    ),
})

claimRoutes.get('/payments/:merchantId/:paymentId/receipts/:id', 'read', {
  id: 'getReceipt',
  summary: 'Read a file that a payer sent',
  description: 'Each read is recorded in the audit.',
  params: { merchantId: Id, paymentId: Id, id: Id },
  answerContent: fileAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request, reply) => {
    const key = request.params
    const subject = `payment:${key.merchantId}/${key.paymentId}`
    const act = { action: 'receipt.read', subject, details: { receipt: key.id } }
    const receipt = await actOnBehalf(context, request, (tx) => getReceipt(tx, key), act)
    const content = await openFile(context, 'payer_receipts', receipt)
    return sendFile(reply, `receipt-${receipt.id}`, { contentType: receipt.contentType, content })
  },
})

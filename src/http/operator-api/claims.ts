import type { Static } from '../../operations/schema.ts'
import { type ClaimAnswer, claims, type ReceiptAnswer } from '../../operations/claims.ts'
import { openFile } from '../../engine/disputes/claims/seal-file.ts'
import { getReceipt, type ListedClaim, listClaims, type Receipt } from '../../engine/disputes/read.ts'
import { findPaymentById } from '../../engine/payments/read.ts'
import type { Context } from '../../engine/context.ts'
import { fileAnswer, sendFile } from '../answers/receipt-files.ts'
import { wire } from '../../operations/fields.ts'
import { readPage } from '../routes/lists.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { bindNoun } from '../routes/bind-noun.ts'

/** The wire form of a file that a payer sent. */
export const toReceiptAnswer = ({ id, contentType, size, receivedAt }: Receipt): Static<typeof ReceiptAnswer> =>
  wire.fields({ id, contentType, size, receivedAt })

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
export const claimRoutes = bindNoun(claims, {
  list: (context, { query }) =>
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
  answerContent: fileAnswer,
  handle: async (context, request, reply) => {
    const key = request.params
    const subject = `payment:${key.merchantId}/${key.paymentId}`
    const act = { action: 'receipt.read', subject, details: { receipt: key.id } }
    const receipt = await actOnBehalf(context, request, (tx) => getReceipt(tx, key), act)
    const content = await openFile(context, 'payer_receipts', receipt)
    return sendFile(reply, `receipt-${receipt.id}`, { contentType: receipt.contentType, content })
  },
})

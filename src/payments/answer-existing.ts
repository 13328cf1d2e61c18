import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { maxMinor } from '../domain/decimal.ts'
import { differingFields, type Payment, type PaymentRequest } from '../domain/payment.ts'
import { readPaymentRequest } from '../domain/payment-request.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Requisite } from '../domain/requisite.ts'
import type { CreateCommand, Draft, Reference } from './draft-payment.ts'
import { getPayments } from './get-payments.ts'

/** The answer to a create: a new payment, the payment that this very request made before, or a refusal. */
export type CreateResult =
  | { readonly kind: 'created' | 'existing'; readonly payment: Payment; readonly requisite: Requisite }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** A refusal as the answer to a create. */
export const refused = (refusal: Refusal): CreateResult => ({ kind: 'refused', refusal })

/** Answers the drafts whose orderId exists from the existing payment and returns the others. */
export const answerExisting = async (
  sql: Queryable,
  reference: Reference,
  drafts: readonly Draft[],
  results: CreateResult[],
): Promise<Draft[]> => {
  if (drafts.length === 0) return []
  const keys = drafts.map((draft) => ({ merchantId: draft.wish.merchantId, orderId: draft.request.orderId }))
  const payments = await getPayments(sql, keys)
  return drafts.filter((draft, position) => {
    const payment = payments[position]
    if (!payment) return true
    results[draft.index] = compare(reference, draft.request, payment)
    return false
  })
}

const compare = (reference: Reference, request: PaymentRequest, payment: Payment): CreateResult => {
  const fields = differingFields(request, payment)
  if (fields.length > 0) {
    return refused(
      new Refusal(
        'order_conflict',
        `There is already another payment with this orderId; different: ${fields.join(', ')}.`,
        {
          errors: fields.map((field) => ({
            field,
            code: 'order_conflict',
            message: 'differs from the first request.',
          })),
        },
      ),
    )
  }
  const requisite = reference.pool.byId.get(payment.requisiteId)
  if (!requisite) throw new Error(`payment ${payment.id}: requisite ${payment.requisiteId} is unknown`)
  return { kind: 'existing', payment, requisite }
}

/** A request that the rules refuse today may be the repetition of one that they allowed: then it gets that payment. */
export const replayRefused = async (
  context: Context,
  reference: Reference,
  commands: readonly CreateCommand[],
  results: CreateResult[],
): Promise<void> => {
  const indexes = results.flatMap((result, index) => (result?.kind === 'refused' ? [index] : []))
  if (indexes.length === 0) return
  const keys = indexes.flatMap((index) => {
    const command = commands[index]
    return command ? [{ merchantId: command.merchantId, orderId: command.request.orderId }] : []
  })
  const payments = await getPayments(context, keys)
  indexes.forEach((index, position) => {
    const command = commands[index]
    const payment = payments[position]
    if (!command || !payment) return
    // Read again without the rules that may have changed since: only the meaning of the request counts.
    const request = readPaymentRequest(command.request, {
      limits: new Map([[command.request.currency, { currency: command.request.currency, min: 1n, max: maxMinor }]]),
      settings: { returnHosts: payment.returnUrl ? [new URL(payment.returnUrl).host] : [] },
      isBankIssuer: () => true,
    })
    if (!(request instanceof Refusal)) results[index] = compare(reference, request, payment)
  })
}

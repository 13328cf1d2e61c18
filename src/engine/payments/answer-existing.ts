import type { Queryable } from 'payin-database'
import { maxMinor } from '../../rules/values/currency.ts'
import { differingFields, type Payment, type PaymentRequest } from '../../rules/payments/payment.ts'
import { readPaymentRequest } from '../../rules/payments/payment-request.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import type { CreateCommand, Draft, ReferenceData } from './draft-payment.ts'
import { getPayments } from './read.ts'

/** The answer to a create: a new payment, the payment that the same request created before, or a refusal. */
export type CreateResult =
  | { readonly kind: 'created' | 'existing'; readonly payment: Payment; readonly requisite: Requisite }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** The answers of one step of creation; drafts without an answer go on to the next step. */
export type Answers = ReadonlyMap<Draft, CreateResult>

/** A refusal as the answer to a create. */
export const refused = (refusal: Refusal): CreateResult => ({ kind: 'refused', refusal })

const compare = (reference: ReferenceData, request: PaymentRequest, payment: Payment): CreateResult => {
  const fields = differingFields(request, payment)
  if (fields.length > 0) {
    const errors = fields.map((field) => ({
      field,
      code: 'order_conflict',
      message: 'differs from the first request.',
    }))
    const message = `There is already another payment with this orderId; different: ${fields.join(', ')}.`
    return refused(new Refusal('order_conflict', message, { errors }))
  }
  const requisite = reference.pool.byId.get(payment.requisiteId)
  if (!requisite) throw new Error(`payment ${payment.id}: requisite ${payment.requisiteId} is unknown`)
  return { kind: 'existing', payment, requisite }
}

/** Answers the drafts whose orderId exists from the existing payment: `existing`, or refused with `order_conflict`. */
export const answerExisting = async (
  sql: Queryable,
  reference: ReferenceData,
  drafts: readonly Draft[],
): Promise<Answers> => {
  if (drafts.length === 0) return new Map()
  const payments = await getPayments(
    sql,
    drafts.map(({ wish, request }) => ({ merchantId: wish.merchantId, orderId: request.orderId })),
  )
  return new Map(
    drafts.flatMap((draft, index): [Draft, CreateResult][] => {
      const payment = payments[index]
      return payment ? [[draft, compare(reference, draft.request, payment)]] : []
    }),
  )
}

/** Answers commands that the current rules refuse but that created a payment under earlier rules: from that payment. */
export const replayRefused = async (
  sql: Queryable,
  reference: ReferenceData,
  commands: readonly CreateCommand[],
): Promise<ReadonlyMap<CreateCommand, CreateResult>> => {
  if (commands.length === 0) return new Map()
  const payments = await getPayments(
    sql,
    commands.map(({ merchantId, request }) => ({ merchantId, orderId: request.orderId })),
  )
  return new Map(
    commands.flatMap((command, index): [CreateCommand, CreateResult][] => {
      const payment = payments[index]
      if (!payment) return []
      const { currency } = command.request
      // Parsed without the rules that may have changed since: only the meaning of the request counts.
      const request = readPaymentRequest(command.request, {
        limits: new Map([[currency, { currency, min: 1n, max: maxMinor }]]),
        settings: { returnHosts: payment.returnUrl ? [new URL(payment.returnUrl).host] : [] },
        isBankIssuer: () => true,
      })
      return request instanceof Refusal ? [] : [[command, compare(reference, request, payment)]]
    }),
  )
}

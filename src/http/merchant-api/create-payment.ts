import { type Static, Type } from '../../operations/schema.ts'
import type { Context } from '../../engine/context.ts'
import { quoteCode } from '../../rules/values/currency.ts'
import { pageLanguages } from '../../rules/payments/page-language.ts'
import { methodRules, methodsWith, paymentMethods } from '../../rules/values/payment-method.ts'
import { type Payment, paymentTypes } from '../../rules/payments/payment.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { checkoutUrl } from '../../engine/payments/view-payment.ts'
import { createPayment } from '../../engine/payments/create-payments.ts'
import { revealNumber } from '../../engine/requisites/requisite-pool.ts'
import {
  Amount,
  asCode,
  Currency,
  Id,
  OrderId,
  PaymentStatus,
  TransferScope,
  Time,
  UserId,
  wire,
} from '../../operations/fields.ts'
import { numberSource } from '../routes/json-body.ts'
import { Metadata } from '../../operations/metadata.ts'
import { routesForMerchants } from '../routes/routes.ts'

const Body = Type.Exact(
  {
    type: Type.OneOf(
      paymentTypes,
      "`direct` shows the requisite at once; `staged` collects the payer's phone on the hosted page.",
    ),
    amount: Type.Number({ description: 'Exact amount in the currency, within its min..max.', examples: [5000.37] }),
    orderId: OrderId,
    currency: Currency,
    'method?': Type.OneOf(paymentMethods, 'Required unless `sbpEnabled` is true.'),
    'sbpEnabled?': Type.Flag('Whether the page offers `sbp`, too; it changes nothing for `sbp` itself.'),
    'transferScope?': TransferScope,
    'bankIssuer?': Type.String({ minLength: 1, maxLength: 40, description: 'Code of the issuing bank.' }),
    'userId?': UserId,
    'returnUrl?': Type.String({
      maxLength: 2000,
      description: 'Where the page sends the payer back to; on a registered host.',
    }),
    'locale?': Type.OneOf(pageLanguages, 'Language of the hosted page.'),
    'metadata?': Metadata,
  },
  {
    title: 'NewPayment',
    anyOf: [{ required: ['method'] }, { required: ['sbpEnabled'], properties: { sbpEnabled: { const: true } } }],
    examples: [{ type: 'direct', amount: 5000.37, orderId: 'order-1001', currency: 'rub', method: 'sbp' }],
  },
)

const Answer = Type.Titled('CreatedPayment', {
  payment: Type.Object({
    id: Id,
    rate: Type.Record(Type.String(), Type.Object({ price: Type.Number({ examples: [92.5] }), createdAt: Time }), {
      description: 'By the code of your quote currency, such as `USDT`: the price of one of it.',
      examples: [{ USDT: { price: 92.5, createdAt: '2026-01-31T12:30:00.000Z' } }],
    }),
    orderId: Type.String({ examples: ['order-1001'] }),
    userId: Type.String({ examples: ['user-17'] }),
    status: PaymentStatus,
    amount: Amount,
    sourcePan: Type.String({ examples: [''] }),
    currency: Type.String({ examples: ['rub'] }),
    total: Type.Object({
      currency: Type.String({ examples: ['USDT'] }),
      amount: Type.Number({ examples: [54.058054] }),
    }),
    expiredAt: Time,
  }),
  card: Type.Object({
    id: Id,
    'pan?': Type.Text(
      `Card or account number (${asCode(methodsWith(({ cardField }) => cardField === 'pan'))}), \`direct\` only.`,
      '2200700000001234',
    ),
    'phone?': Type.Text(
      `Phone number (${asCode(methodsWith(({ cardField }) => cardField === 'phone'))}), digits only, \`direct\` only.`,
      '79991234567',
    ),
    bankIssuer: Type.String({ examples: ['sberbank'] }),
  }),
  redirectUrl: Type.String({ format: 'uri' }),
})

/** The body of a created payment (docs/contract.md §2.3). */
const toAnswer = (context: Context, payment: Payment, requisite: Requisite): Static<typeof Answer> => {
  // A payment that was closed before it could show its requisite never reveals it.
  const isGiven = payment.type === 'direct' && payment.requisiteShown
  const number = isGiven ? revealNumber(context.vault, requisite) : undefined
  // The requisite's own method: the payer may have chosen SBP instead of the payment's.
  const { cardField } = methodRules[requisite.method]
  const quote = quoteCode(payment.quoteCurrency)
  return {
    payment: {
      id: payment.id,
      rate: { [quote]: { price: wire.price(payment.ratePrice), createdAt: wire.time(payment.rateCreatedAt) } },
      orderId: payment.orderId,
      userId: payment.userId,
      status: payment.status,
      amount: wire.amount(payment.amount, payment.currency),
      sourcePan: payment.sourcePan,
      currency: payment.currency,
      total: { currency: quote, amount: wire.amount(payment.total, quote) },
      expiredAt: wire.time(payment.expiredAt),
    },
    card: {
      id: requisite.id,
      ...(number === undefined ? {} : { [cardField]: number }),
      bankIssuer: requisite.bankIssuer,
    },
    redirectUrl: checkoutUrl(context, payment),
  }
}

/** docs/contract.md §4.2: 201 when new, 200 with `Idempotent-Replayed` for a repeated request. */
export const createPaymentRoute = routesForMerchants('payments').post('/payments', 'payments:write', {
  id: 'createPayment',
  summary: 'Create a payment',
  description:
    'Locks the rate and reserves an account number for this exact amount until `expiredAt`. With `direct`, the response has the number for you to show; with `staged`, the page at `redirectUrl` does everything. If you send the same request again, for example because the response was lost, you get 200, the header `Idempotent-Replayed` and the existing payment; other values under the same `orderId` are refused with `order_conflict`. For a payer whom the operator has blocked or limited, the response is 201 with `payment.status` `failed` and a `card` without a number: check the status before you show one.',
  isForTokens: true,
  body: Body,
  answers: { 200: Answer, 201: Answer },
  refusals: [
    'amount_above_max',
    'amount_below_min',
    'amount_precision',
    'bank_issuer_unknown',
    'currency_not_supported',
    'order_conflict',
    'rate_unavailable',
    'requisites_unavailable',
    'debt_too_large',
    'too_many_open_payments',
    'transfer_scope_not_allowed',
    'transfer_scope_required',
  ],
  handle: async (context, request, reply) => {
    const { merchantId } = request.caller
    const command = { merchantId, request: { ...request.body, amount: numberSource(request.body, 'amount') } }
    const result = await createPayment(context, command)
    if (result.kind === 'refused') throw result.refusal
    if (result.kind === 'existing') void reply.header('idempotent-replayed', 'true')
    return reply.code(result.kind === 'created' ? 201 : 200).send(toAnswer(context, result.payment, result.requisite))
  },
})

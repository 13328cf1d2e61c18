import { type Static, Type } from 'typebox'
import { noFeeCap } from '../../domain/fee.ts'
import { defaultTerms, type MismatchPolicy, termAmounts, type Terms, termsBounds } from '../../domain/merchant.ts'
import { paymentMethods } from '../../domain/payment-method.ts'
import { setTerms } from '../../merchants/set-terms.ts'
import { Id, OneOf } from '../fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { routesForOperators } from '../routes.ts'

const policies: readonly MismatchPolicy[] = ['credit-received', 'review']

const bounded = (name: keyof typeof termsBounds, description: string) => {
  const [minimum, maximum] = termsBounds[name]
  const examples = [Number(defaultTerms[name])]
  return Type.Integer({ minimum: Number(minimum), maximum: Number(maximum), description, examples })
}

const fields = {
  timeToPayMs: bounded('timeToPayMs', 'Time to pay.'),
  graceMs: bounded('graceMs', 'How much later than `timeToPayMs` the bank may book the money.'),
  lateWindowMs: bounded('lateWindowMs', 'How long after `expiredAt` the exact amount is still credited.'),
  confirmDeadlineMs: bounded('confirmDeadlineMs', 'How long a payment waits for its money after "I have paid".'),
  coolDownMs: bounded('coolDownMs', 'How long the slot of a paid payment stays reserved.'),
  toleranceMinor: bounded('toleranceMinor', 'Difference in minor units that still counts as exact.'),
  mismatchPolicy: OneOf(policies, { description: 'What to do with money that differs by more than the tolerance.' }),
  underpaidPolicy: Type.Optional(
    OneOf(policies, { description: 'The same for too little; default: `mismatchPolicy`.' }),
  ),
  overpaidPolicy: Type.Optional(OneOf(policies, { description: 'The same for too much; default: `mismatchPolicy`.' })),
  partialPolicy: Type.Optional(
    OneOf(['add-up', 'review'], {
      description: 'What to do with a part while there is time: `add-up` (default) waits for the rest.',
    }),
  ),
  latePolicy: Type.Optional(
    OneOf(['credit', 'review'], {
      description: 'What to do with the exact amount inside the late window; default: `credit`.',
    }),
  ),
  paidAgainPolicy: Type.Optional(
    OneOf(['overpayment', 'review'], {
      description:
        'What to do with further money for a credited payment: `overpayment` (default) owes it to the payer.',
    }),
  ),
  feePpm: bounded('feePpm', 'Fee in millionths of the credited amount, before the fixed part.'),
  feeFixedMicro: bounded('feeFixedMicro', 'Fixed part of the fee, in millionths of USDT.'),
  feeMinMicro: bounded('feeMinMicro', 'The whole fee is at least this, in millionths of USDT.'),
  feeMaxMicro: bounded('feeMaxMicro', `The whole fee is at most this, in millionths of USDT; ${noFeeCap} is no bound.`),
}

/** Schema of the terms of a method, complete. */
export const TermsAnswer = Type.Object(fields)

/** The terms of a method, in the words of the wire. */
export type TermsAnswer = Static<typeof TermsAnswer>

/** Schema of terms that are set: what is left out follows the defaults. */
export const TermsBody = Type.Partial(Type.Object(fields), { additionalProperties: false })

/** Terms in the words of the wire: their amounts have at most 15 digits, which JSON numbers hold exactly. */
export const toTermsAnswer = (terms: Terms): TermsAnswer => {
  const amounts = termAmounts.map((name) => [name, Number(terms[name])])
  return { ...terms, ...Object.fromEntries(amounts) } as TermsAnswer
}

/** Terms out of the words of the wire. */
export const toTerms = (body: Static<typeof TermsBody>): Partial<Terms> => {
  const amounts = termAmounts.flatMap((name) => (body[name] === undefined ? [] : [[name, BigInt(body[name])]]))
  return { ...body, ...Object.fromEntries(amounts) } as Partial<Terms>
}

/** A merchant's terms for a method. */
export const termsRoute = routesForOperators().put('/merchants/:id/terms/:method', {
  id: 'setTerms',
  summary: "Set a merchant's terms for a method",
  description:
    'Replaces what was set before; what is left out follows the defaults. Existing payments keep their terms.',
  params: { id: Id, method: OneOf(paymentMethods) },
  body: TermsBody,
  answer: { merchantId: Type.String(), method: OneOf(paymentMethods), terms: TermsAnswer },
  handle: async (context, request) => {
    const { id, method } = request.params
    const terms = toTerms(request.body)
    const act = { action: 'terms.set', subject: `merchant:${id}`, details: { method, terms: request.body } }
    await actOnBehalf(context, request, act, (tx) => setTerms(tx, id, method, terms))
    return { merchantId: id, method, terms: toTermsAnswer({ ...defaultTerms, ...terms }) }
  },
})

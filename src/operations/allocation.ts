import { paymentTypes } from '../rules/payments/payment.ts'
import { paymentMethods, transferScopes } from '../rules/values/payment-method.ts'
import { BankCode, Currency, Id, PositiveAmount, Time, idOf, ofRequisite } from './fields.ts'
import { operation } from './operation.ts'
import { inColumns, presented, type Static, Type } from './schema.ts'

/** How many requisites an explanation lists one by one. */
export const shownVerdicts = 50

const Verdict = Type.Titled('AllocationVerdict', {
  ...ofRequisite,
  number: Type.Text('Masked.'),
  bankIssuer: Type.String(),
  method: Type.OneOf(paymentMethods),
  currency: Type.String(),
  'refused?': Type.Text('Why it cannot be chosen; absent if it can.', 'slot-taken'),
  hasOpenPayment: presented(Type.Flag('Whether it has an open payment: requisites without one are chosen first.'), {
    heading: 'Open',
  }),
  room: Type.Whole('What is left of its tightest limit, in tenths (0–10).'),
  'held?': Type.Object({
    payments: Type.Whole('How many payments hold exactly this amount on it.'),
    until: Time,
    shared: Type.Flag('Whether further payments that share equal amounts may hold it, too.'),
  }),
})

const Explanation = Type.Object({
  'chosenId?': Id,
  counts: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of requisites by the reason for refusing them; `free` counts the others.',
    examples: [{ free: 12, 'slot-taken': 1, 'other-method': 30 }],
  }),
  verdicts: inColumns(Type.Array(Verdict), [
    'requisiteId',
    { heading: 'Verdict', show: ({ refused = 'free' }) => refused, kind: 'word' },
    {
      heading: 'Held by',
      show: ({ held }) => held && `${held.payments}${held.shared ? ' (shared)' : ''}`,
      kind: 'number',
    },
    { heading: 'Until', show: ({ held }, { time }) => time(held?.until), kind: 'time' },
    'hasOpenPayment',
    { heading: 'Room', show: ({ room }) => `${room}/10`, kind: 'number' },
    { heading: 'Id', show: ({ requisiteId }) => requisiteId, kind: 'id' },
  ]),
})
export type Explanation = Static<typeof Explanation>

export const allocation = {
  explain: operation('POST /requisites/explain', 'read', {
    id: 'explainAllocation',
    summary: 'Explain which requisite a payment would get',
    description: `Changes nothing. Counts the reasons for all requisites, and lists the first ${shownVerdicts} one by one.`,
    body: {
      merchantId: idOf('merchant'),
      'type?': Type.OneOf(
        paymentTypes,
        'Type of the payment, which decides whether it may share an equal amount; absent: `direct`.',
      ),
      method: Type.OneOf(paymentMethods, 'Method of the payment.'),
      currency: Currency,
      amount: PositiveAmount,
      'bankIssuer?': presented(BankCode, 'The bank issuer that the payer asks for.'),
      'transferScope?': Type.OneOf(transferScopes),
    },
    answer: Explanation,
    refusals: ['transfer_scope_not_allowed'],
    command: { options: { bankIssuer: '--bank' }, fixed: { transferScope: undefined } },
  }),
}

import { foundKinds } from '../rules/search/search.ts'
import { Id, Time, ofAnyMerchant } from './fields.ts'
import { type NamedKind, namedThings } from './named.ts'
import { operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

export const defaultLimit = 20

const FoundAnswer = Type.Titled('FoundThing', {
  kind: Type.OneOf(foundKinds, { heading: 'Found' }),
  id: Id,
  'merchantId?': Id,
  'requisiteId?': Id,
  'paymentId?': presented(Id, 'The payment that a transfer went to.'),
  'label?': presented(Type.Text('Its order, reference, name, number (masked) or operation.', 'order-1001'), {
    heading: 'Named',
  }),
  'amount?': Type.Number({ examples: [5000.37] }),
  'currency?': Type.String({ examples: ['rub'] }),
  state: presented(
    Type.Text(
      'Status of a payment or settlement, where the money of a transfer is, mode of a merchant, status and code of the response to a request.',
      'paid',
    ),
    { kind: 'word' },
  ),
  'number?': Type.Text("The other side's number, masked.", '•••• 4567'),
  'name?': Type.Text("The other side's name, masked."),
  at: { ...Time, description: 'When it was created, or booked by the bank.' },
})
export type FoundAnswer = Static<typeof FoundAnswer>

const kinds = Object.keys(namedThings) as NamedKind[]

const NamedAnswer = Type.Titled('NamedThing', {
  kind: Type.OneOf(kinds),
  id: Id,
  ...ofAnyMerchant('The merchant that it belongs to; for an adjustment, the book.'),
  'requisiteId?': presented(Id, 'The requisite on whose account it was booked.'),
  'orderId?': Type.Text('Order of the payment.'),
})
export type NamedAnswer = Static<typeof NamedAnswer>

export const search = {
  find: operation('GET /search', 'read', {
    id: 'search',
    summary: 'Find payments, transfers, settlements, merchants, requisites and requests',
    description:
      "By an order (or its beginning), any id (also the `requestId` of a refusal), the address of a payer's page, an amount, the last four digits of a phone, card or account number or, for roles that may reveal it, the whole number, a bank reference, or words of a name or text in any alphabet; all words must match. Exact matches come first, then the newest. Orders, ids and addresses can be found immediately, other words of a payment or transfer some seconds after it was written.",
    query: {
      'q?': Type.Pattern('must be 1 to 200 characters.', {
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'What to search for. Without it, everything of the time from `from` to `to`.',
        examples: ['order-1001'],
      }),
      'from?': presented(Time, 'Only what was created, booked or recorded at this time or later.'),
      'to?': presented(Time, 'Only what was created, booked or recorded before this time.'),
      'limit?': Type.Pattern('must be a whole number from 1 to 100.', {
        pattern: '^([1-9][0-9]?|100)$',
        description: `Most results, 1–100. Default: ${defaultLimit}.`,
      }),
    },
    answer: { results: Type.Array(FoundAnswer) },
    command: {
      about:
        "Find payments, transfers, settlements, merchants, requisites and requests by order, id, address of a payer's page, amount, number or its last four digits, bank reference, document number, name or text; also by day.",
      columns: [
        ...(['kind', 'label', 'amount', 'state', 'id', 'at'] as const),
        { heading: 'Other side', show: ({ name, number }) => [name, number].filter(Boolean).join(', ') },
      ],
      empty:
        'Nothing was found. Fewer words find more; things written in the last seconds are found only by order or id.',
    },
  }),
  resolve: operation('GET /resolve', 'read', {
    id: 'resolve',
    summary: 'Find the one thing that a name means',
    description:
      "By its exact name: a merchant by its name, a payment by its orderId, a dispute by that of its payment, a settlement or adjustment by its reference, a destination by its label or address, a transfer, reversal or outgoing transfer by its bank reference, a requisite by its label, its last four digits or, for roles that may reveal it, its whole number, or bank and last four digits, a source of statements or rates, a phone or an alert channel by its name, an open incident by its rule or `last`, a decision of the last 24 hours by `last`, a rule for outgoing transfers by its reason, a statement by its file name, an endpoint by its address, host or description, a payment link by its title, a token by its name or first characters, a block by its payer (a number only for roles that may reveal it) or the payer's last digits (`phone 4567`), a velocity rule by its kind or reason. Or by its id: the beginning (6 digits or more), or beginning and end (`019a9c3e-7d5e..3c6a10`), are enough. Refused with `ambiguous` and `candidates` if several match.",
    query: {
      kind: Type.OneOf(kinds, 'The kind of thing to find.'),
      text: Type.Printable(200, { description: 'The name.', examples: ['order-1001'] }),
      'merchantId?': presented(Id, 'Only what belongs to this merchant.'),
      'requisiteId?': presented(Id, 'Only what was booked on this requisite.'),
    },
    answer: NamedAnswer,
    refusals: ['ambiguous', 'payment_not_found', 'resource_not_found'],
  }),
}

import { type Static, Type } from 'typebox'
import { type Found, foundKinds, search } from '../../search/search.ts'
import { Id, OneOf, PatternText, Time, Titled, wireFields, wireMoney, wireTime } from '../fields.ts'
import { routesForOperators } from '../routes.ts'

/** Rows of an answer. */
const defaultLimit = 20

const FoundAnswer = Titled('FoundThing', {
  kind: OneOf(foundKinds),
  id: Id,
  merchantId: Type.Optional(Id),
  requisiteId: Type.Optional(Id),
  paymentId: Type.Optional({ ...Id, description: 'The payment that a transfer went to.' }),
  label: Type.Optional(
    Type.String({ description: 'Its order, reference, name or number (masked).', examples: ['order-1001'] }),
  ),
  amount: Type.Optional(Type.Number({ examples: [5000.37] })),
  currency: Type.Optional(Type.String({ examples: ['rub'] })),
  state: Type.String({
    description: 'Status of a payment or settlement, where the money of a transfer is, mode of a merchant.',
    examples: ['paid'],
  }),
  number: Type.Optional(Type.String({ description: "The other side's number, masked.", examples: ['*******4567'] })),
  name: Type.Optional(Type.String({ description: "The other side's name, masked." })),
  at: { ...Time, description: 'When it was created, or booked by the bank.' },
})

/** Something that a search found. */
export type FoundAnswer = Static<typeof FoundAnswer>

const toAnswer = ({ amount, currency, at, ...found }: Found): FoundAnswer =>
  wireFields({
    ...found,
    currency,
    amount: amount === null || currency === null ? null : wireMoney(amount, currency),
    at: wireTime(at),
  })

/** Search over everything. */
export const searchRoutes = routesForOperators()

searchRoutes.get('/search', {
  id: 'search',
  duty: 'read',
  summary: 'Find payments, transfers, settlements, merchants and requisites',
  description:
    'By an order (or its beginning), any id, an amount, a phone, card or account number or its last four digits, a bank reference, or words of a name or text in any alphabet; several words must all fit. What is named exactly comes first, then the newest. Orders and ids are found at once, the other words of a payment or transfer some seconds after it was written.',
  query: {
    q: PatternText('must be 1 to 200 characters.', {
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      description: 'What is searched for.',
      examples: ['order-1001'],
    }),
    limit: Type.Optional(
      PatternText('must be a whole number from 1 to 100.', {
        pattern: '^([1-9][0-9]?|100)$',
        description: `Most results, 1–100. Default: ${defaultLimit}.`,
      }),
    ),
  },
  answer: { results: Type.Array(FoundAnswer) },
  handle: async (context, { query: { q, limit } }) => ({
    results: (await search(context, q, Number(limit ?? defaultLimit))).map(toAnswer),
  }),
})

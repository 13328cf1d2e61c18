import { type Static, Type } from 'typebox'
import { readTypedName } from '../../domain/id-text.ts'
import { Refusal } from '../../domain/refusal.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { Id, OneOf, PrintableText, Titled } from '../fields.ts'
import { routesForOperators } from '../routes.ts'
import { findNamed, type Named, type NamedKind } from './find-named.ts'
import { ofAnyMerchant } from './operator-fields.ts'

const kinds = Object.keys(findNamed) as NamedKind[]
/** As many are found at most. */
const mostShown = 5

const NamedAnswer = Titled('NamedThing', {
  kind: OneOf(kinds),
  id: Id,
  ...ofAnyMerchant('Whose it is; the book of an adjustment.'),
  requisiteId: Type.Optional({ ...Id, description: 'Whose bank booked it.' }),
  orderId: Type.Optional(Type.String({ description: 'Order of the payment.' })),
})

/** What a name means. */
export type NamedAnswer = Static<typeof NamedAnswer>

const ambiguous = (
  kind: string,
  name: string,
  found: readonly Named[],
  merchantOf: (id: string) => string,
): Refusal => {
  const candidates = found.slice(0, mostShown).map(({ id, merchantId, about }) => ({
    id,
    about: [...about, ...(merchantId === undefined || kind === 'merchant' ? [] : [merchantOf(merchantId)])].join(', '),
  }))
  const more = found.length > mostShown ? ' There are more.' : ''
  return new Refusal('ambiguous', `"${name}" may be several of ${kind} here; name one of the candidates.${more}`, {
    extra: { candidates },
  })
}

/** Names of things. */
export const resolveRoute = routesForOperators().get('/resolve', {
  id: 'resolve',
  duty: 'read',
  summary: 'Find the one thing that a name means',
  description:
    'By its exact name: of a merchant its name, of a payment its orderId, of a dispute that of its payment, of a settlement or adjustment its reference, of a transfer, reversal or outgoing transfer its bank reference, of a requisite its label, its last digits (four or more) or bank and last digits, of a source its name, of a statement the name of its file, of an endpoint its address, its host or its description, of a payment link its title, of a token its name or first characters, of a block its payer or the last digits of it (`phone 4567`), of a velocity rule its kind or reason. By its id, too, of which the beginning (6 digits or more) or beginning and end (`019a9c3e-7d5e..3c6a10`) are enough. Refused with `ambiguous` and `candidates` where it may be several.',
  query: {
    kind: OneOf(kinds, { description: 'What is looked for.' }),
    text: PrintableText(200, { description: 'The name.', examples: ['order-1001'] }),
    merchantId: Type.Optional({ ...Id, description: 'Only what belongs to this merchant.' }),
    requisiteId: Type.Optional({ ...Id, description: "Only what this requisite's bank booked." }),
  },
  answer: NamedAnswer,
  refusals: ['ambiguous', 'payment_not_found', 'resource_not_found'],
  handle: async (context, request) => {
    const { kind, text, merchantId, requisiteId } = request.query
    const merchants = await context.catalog.get(merchantDirectory)
    const found: readonly Named[] = await findNamed[kind](context, {
      ...readTypedName(text),
      merchantIds: merchantId === undefined ? [...merchants.keys()] : [merchantId],
      requisiteIds:
        requisiteId === undefined ? [...(await context.catalog.get(requisitePool)).byId.keys()] : [requisiteId],
    })
    const exact = found.filter(({ about }) => about.includes(text))
    const [only, ...others] = exact.length > 0 ? exact : found
    if (!only) {
      throw new Refusal(
        kind === 'payment' ? 'payment_not_found' : 'resource_not_found',
        `There is no ${kind} "${text}".`,
      )
    }
    if (others.length > 0) throw ambiguous(kind, text, found, (id) => merchants.get(id)?.merchant.name ?? id)
    const { about: _, ...named } = only
    return { kind, ...named }
  },
})

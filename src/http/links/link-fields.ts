import { type Static, Type } from '../../operations/schema.ts'
import type { Context } from '../../engine/context.ts'
import { linkStates, mostLinkUses } from '../../rules/payments/payment-link.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import type { LinkWish } from '../../engine/links/link.ts'
import { type CountedLink, linkUrl } from '../../engine/links/read.ts'
import { Currency, Id, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { Metadata, MetadataAnswer } from '../answers/metadata.ts'
import { readBody } from '../routes/read-body.ts'

const Title = Type.Printable(100, {
  description: 'What is paid for, as the payer reads it.',
  examples: ['Pottery course'],
})
const Description = Type.Printable(500, {
  description: 'More about it, shown below the title.',
  examples: ['Eight evenings in March, clay included.'],
})
const usesText = '`once`: one payment may be paid. `many`: any number, or up to `maxUses`.'
const Uses = Type.OneOf(['once', 'many'], { description: usesText })
const MaxUses = Type.Integer({
  minimum: 1,
  maximum: mostLinkUses,
  description: 'How many payments may be paid; only with `many`.',
  examples: [20],
})
const amounts = {
  amount: { ...PositiveAmount, description: 'The amount to pay. Without it the payer enters one.' },
  minAmount: { ...PositiveAmount, description: 'The least that a payer may enter.', examples: [100] },
  maxAmount: { ...PositiveAmount, description: 'The most that a payer may enter.', examples: [10000] },
}
const Method = Type.OneOf(
  paymentMethods,
  'How to pay. Without it the payer chooses among the methods that the merchant accepts.',
)
const EndsAt = { ...Time, description: 'When the link stops working. Default: never.' }
const ReturnUrl = Type.String({
  maxLength: 2000,
  description: "Where the payer's page sends the payer back to; on a registered host.",
  examples: ['https://shop.example.com/thanks'],
})

export const NewLink = Type.Exact(
  {
    title: Title,
    description: Type.Optional(Description),
    currency: Currency,
    method: Type.Optional(Method),
    amount: Type.Optional(amounts.amount),
    minAmount: Type.Optional(amounts.minAmount),
    maxAmount: Type.Optional(amounts.maxAmount),
    uses: Type.Optional({ ...Uses, description: `${usesText} Default: \`once\`.` }),
    maxUses: Type.Optional(MaxUses),
    endsAt: Type.Optional(EndsAt),
    returnUrl: Type.Optional(ReturnUrl),
    metadata: Type.Optional(Metadata, 'Up to 20 named texts of your own, copied to each payment of the link.'),
  },
  {
    title: 'NewPaymentLink',
    examples: [{ title: 'Pottery course', amount: 5000.37, currency: 'rub' }],
  },
)

export const LinkAnswer = Type.Titled('PaymentLink', {
  id: Id,
  url: Type.String({
    format: 'uri',
    description: "Address of the payer's page; give it to payers unchanged.",
    examples: ['https://pay.example.com/l/AQGanD59XntSnwwx0T8zxqEQmW1c8bKq5uJwYkT3o2Zr'],
  }),
  state: Type.OneOf(linkStates, {
    description:
      '`open`: payers may start payments. `used-up`: it has all the payments that it may have. `ended`: `endsAt` has passed. `closed`: somebody has closed it.',
    examples: ['open'],
  }),
  title: Title,
  description: Type.Optional(Description),
  currency: Currency,
  method: Type.Optional(Method),
  amount: Type.Optional(amounts.amount),
  minAmount: Type.Optional(amounts.minAmount),
  maxAmount: Type.Optional(amounts.maxAmount),
  uses: { ...Uses, examples: ['once'] },
  maxUses: Type.Optional(MaxUses),
  payments: Type.Group('How many payments it has, up to 10,000 of each; `GET /payments` with `linkId` lists them.', {
    paid: Type.Integer({ description: '`paid` or `disput-paid`.', examples: [0] }),
    underWay: Type.Integer({ description: '`new`, `processing` or `disput`.', examples: [0] }),
  }),
  endsAt: Type.Optional(EndsAt),
  returnUrl: Type.Optional(ReturnUrl),
  metadata: Type.Optional(MetadataAnswer, 'Copied to each payment of the link.'),
  createdBy: Type.Text('`token`, `operator`, or the member of the merchant who created it.', 'token'),
  createdAt: Time,
  closedAt: Type.Optional(Time),
})

export type LinkAnswer = Static<typeof LinkAnswer>

/** Who created a link, without the names of operators, which are not the merchant's business. */
const creatorOf = (createdBy: string): string => {
  const [kind = '', name = ''] = createdBy.split(':')
  if (kind === 'member') return name
  return kind === 'merchant' ? 'token' : kind
}

/** The wire form of a link. */
export const toLinkAnswer = (context: Context, link: CountedLink): LinkAnswer =>
  wire.fields({
    ...link,
    url: linkUrl(context, link.id),
    amount: wire.amount(link.amount, link.currency),
    minAmount: wire.amount(link.minAmount, link.currency),
    maxAmount: wire.amount(link.maxAmount, link.currency),
    uses: link.maxUses === 1 ? ('once' as const) : ('many' as const),
    maxUses: link.maxUses === 1 ? null : link.maxUses,
    payments: { paid: link.paid, underWay: link.underWay },
    createdBy: creatorOf(link.createdBy),
  })

/** What a body asks for. Refuses `validation_failed` and `amount_*`. */
export const readLinkWish = (body: Static<typeof NewLink>, createdBy: string): LinkWish =>
  readBody((reader) => {
    const { title, currency, description = null, method = null, returnUrl = null, uses = 'once' } = body
    const { maxUses, endsAt, metadata = {} } = body
    if (uses === 'once' && maxUses !== undefined) reader.wrong('maxUses', 'is only for links with uses "many".')
    if (uses === 'many' && maxUses === 1) reader.wrong('maxUses', 'must be at least 2; for one payment use "once".')
    const read = (field: 'amount' | 'minAmount' | 'maxAmount'): bigint | null =>
      body[field] === undefined ? null : reader.amount(body, field, currency)
    return {
      title,
      description,
      currency,
      method,
      returnUrl,
      createdBy,
      amount: read('amount'),
      minAmount: read('minAmount'),
      maxAmount: read('maxAmount'),
      maxUses: uses === 'once' ? 1 : (maxUses ?? null),
      endsAt: endsAt === undefined ? null : reader.instant(endsAt, 'endsAt'),
      metadata: Object.keys(metadata).length > 0 ? metadata : null,
    }
  })
